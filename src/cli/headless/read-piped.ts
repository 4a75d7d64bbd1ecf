import { fstatSync } from 'node:fs';
import { UsageProblem } from '../usage-problem.js';

const MAX_BYTES = 32_000_000; // several times the largest context window
const MOST_BYTES = 500_000_000; // the maximum length of a string
const SILENCE_MS = 3_000; // a parent that leaves the pipe open without writing must not make us hang
const NOTICE_MS = 1_000; // nothing is lost if input comes later

/** Reads all of stdin, unless it is a terminal, or a pipe that may be silent and has sent nothing for a while. */
export async function readPiped({
  mayBeSilent,
  maxBytes,
}: {
  mayBeSilent: boolean;
  maxBytes: number;
}): Promise<string> {
  if (isDevice()) return '';
  const { stdin } = process;
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const silence = mayBeSilent
    ? setTimeout(() => {
        process.stderr.write(
          `helve: nothing came on standard input for ${SILENCE_MS / 1000} s, continuing without it.\n`,
        );
        stdin.destroy();
      }, SILENCE_MS)
    : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(silence);
      bytes += chunk.length;
      if (bytes > maxBytes) throw new UsageProblem(tooLong(maxBytes));
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (error instanceof UsageProblem || !stdin.destroyed || text !== '') throw error;
  } finally {
    clearTimeout(silence);
  }
  return text + decoder.decode();
}

/** Whether anything comes on stdin. False for a terminal, for /dev/null, and for a pipe that is silent for a while. */
export async function hasPipedInput(): Promise<boolean> {
  if (isDevice()) return false;
  const { stdin } = process;
  const silence = setTimeout(() => stdin.destroy(), NOTICE_MS);
  try {
    for await (const _ of stdin) return true;
  } catch {
    // destroyed after the silence, or closed
  } finally {
    clearTimeout(silence);
  }
  return false;
}

const tooLong = (maxBytes: number): string =>
  `There is more than ${maxBytes} bytes on standard input, and no model reads so much at once. Save it to a file and name the file in the prompt, or set HELVE_MAX_STDIN_BYTES to a higher number.`;

/** The limit on bytes of stdin, from HELVE_MAX_STDIN_BYTES. */
export function maxPipedBytes(env: Readonly<Record<string, string | undefined>>): number {
  const given = env['HELVE_MAX_STDIN_BYTES'] ?? '';
  if (given === '') return MAX_BYTES;
  if (/^[1-9]\d{0,8}$/.test(given) && Number(given) <= MOST_BYTES) return Number(given);
  throw new UsageProblem(`HELVE_MAX_STDIN_BYTES takes a whole number from 1 to ${MOST_BYTES}, but was "${given}".`);
}

/** Whether stdin is a terminal, or empty like /dev/null. Uses fstat: creating a stream takes milliseconds. */
function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    return false; // closed: the stream reports it
  }
}
