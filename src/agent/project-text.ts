// Texts that a project or a person has written for the model, read on our own initiative: bounded, and never what holds
// secrets. A project that is not trusted can only refer to files inside itself.
import { basename } from 'node:path';
import { openForReading } from '../platform/files/open-file.js';
import { isInside, realPath } from '../platform/files/paths.js';
import { messageOf } from '../platform/message-of.js';
import { secretPaths } from '../platform/sandbox/sensitive-paths.js';
import { grouped } from '../platform/text/digits.js';
import { safeCut } from '../platform/text/truncate.js';

const MAX_BYTES_PER_CHAR = 4;

export interface TextRules {
  /** All of the project is in here, by its real name. */
  boundary: string;
  /** Whether a person has trusted the project: then its texts may name files outside of it. */
  trusted: boolean;
  home: string | undefined;
  dataFolder: string;
  /** What rules say. */
  mayRead(real: string): boolean;
}

/** `hidden`: how many invisible characters were left out. */
export type ReadText = { real: string; text: string; hidden: number } | { real?: string; problem: string };

/** The text of a file, or one clause on why it is not read. */
export async function readProjectText(
  path: string,
  { source, maxChars }: { source: 'user' | 'project'; maxChars: number },
  rules: TextRules,
): Promise<ReadText> {
  let real: string;
  try {
    real = await realPath(path);
  } catch (error) {
    return { problem: messageOf(error) };
  }
  const problem = whyNot(real, source, rules);
  if (problem !== undefined) return { real, problem };
  try {
    const text = await readBounded(real, maxChars);
    if (text === undefined) return { real, problem: 'it is not a text' };
    const shown = text.replaceAll(HIDDEN, '');
    return { real, text: shown, hidden: text.length - shown.length };
  } catch (error) {
    return { real, problem: messageOf(error) };
  }
}

function whyNot(
  real: string,
  source: 'user' | 'project',
  { boundary, trusted, home, dataFolder, mayRead }: TextRules,
): string | undefined {
  if (source === 'project' && !trusted && !isInside(boundary, real)) {
    return 'it is outside the project, and this folder is not trusted';
  }
  // The person's own texts lie beside Helve's own data, where nothing else is anybody's to read.
  if (source === 'user' && isInside(dataFolder, real) && /\.md$/i.test(real)) return undefined;
  const secrets = home === undefined ? [dataFolder] : secretPaths(home, dataFolder);
  const isSecret = SECRET_NAME.test(basename(real)) || secrets.some((secret) => isInside(secret, real));
  if (isSecret) return 'it may hold secrets';
  return mayRead(real) ? undefined : 'a rule denies it';
}

/** By which words for the model can be hidden from the person: they steer the writing, or are drawn by nothing. */
const HIDDEN = /[\u200B\u200E\u200F\u202A-\u202E\u2060-\u2064\u2066-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/gu;

const SECRET_NAME =
  /^\.env(?:\.|$)|^\.(?:netrc|npmrc|pypirc|pgpass)$|^id_(?:rsa|dsa|ecdsa|ed25519)|\.(?:pem|key|p12|pfx|kdbx)$/i;

async function readBounded(real: string, maxChars: number): Promise<string | undefined> {
  const { handle, stats } = await openForReading(real);
  try {
    const bytes = Buffer.alloc(Math.min(stats.size, maxChars * MAX_BYTES_PER_CHAR));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const whole = new TextDecoder().decode(bytes.subarray(0, bytesRead));
    if (whole.includes('\0')) return undefined;
    if (whole.length <= maxChars) return whole;
    const shown = whole.slice(0, safeCut(whole, maxChars));
    return `${shown}\n(Cut here: the file has ${grouped(stats.size)} bytes, and the first ${grouped(maxChars)} characters are shown. Read it for the rest.)`;
  } finally {
    handle.close();
  }
}

/** For the person, who would otherwise not know. */
export const hiddenIn = (file: string, count: number): string =>
  `${file} has invisible characters (${count}), which can hide text; they were removed.`;
