// Reads texts that a project or a person has written for the model: within a size limit, and never files that may hold
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
  /** The folder that contains the whole project, with symlinks resolved. */
  boundary: string;
  /** Whether a person has trusted the project, so that its texts may name files outside it. */
  trusted: boolean;
  home: string | undefined;
  dataFolder: string;
  /** Whether the permission rules allow reading a file. */
  mayRead(real: string): boolean;
}

/** `hidden`: how many invisible characters were removed. */
export type ReadText = { real: string; text: string; hidden: number } | { real?: string; problem: string };

/** The text of a file, or a clause that says why it is not read. */
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
  // Texts of the person are in Helve's data folder; nothing else there may be read.
  if (source === 'user' && isInside(dataFolder, real) && /\.md$/i.test(real)) return undefined;
  const secrets = home === undefined ? [dataFolder] : secretPaths(home, dataFolder);
  const isSecret = SECRET_NAME.test(basename(real)) || secrets.some((secret) => isInside(secret, real));
  if (isSecret) return 'it may hold secrets';
  return mayRead(real) ? undefined : 'a rule denies it';
}

/** Direction marks and invisible characters, which can hide text for the model from the person. */
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

/** The notice for the person about removed characters. */
export const hiddenIn = (file: string, count: number): string =>
  `${file} has invisible characters (${count}), which can hide text; they were removed.`;
