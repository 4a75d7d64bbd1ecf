import { fstatSync } from 'node:fs';

const SILENCE_MS = 3_000; // a program that starts us and leaves the pipe open, with nothing to say, must not hang us

/** All of standard input, unless it is a terminal, or one that may be silent and has said nothing for a while. */
export async function readPiped({ mayBeSilent }: { mayBeSilent: boolean }): Promise<string> {
  if (isDevice()) return '';
  const { stdin } = process;
  const decoder = new TextDecoder();
  let text = '';
  const silence = mayBeSilent
    ? setTimeout(() => {
        process.stderr.write(
          `helve: nothing came on standard input for ${SILENCE_MS / 1000} s, going on without it.\n`,
        );
        stdin.destroy();
      }, SILENCE_MS)
    : undefined;
  try {
    for await (const chunk of stdin) {
      clearTimeout(silence);
      text += decoder.decode(chunk, { stream: true });
    }
  } catch (error) {
    if (!stdin.destroyed || text !== '') throw error;
  } finally {
    clearTimeout(silence);
  }
  return text + decoder.decode();
}

/** A terminal, or nothing at all as /dev/null. Asked of the system: to make a stream of it takes milliseconds. */
function isDevice(): boolean {
  try {
    return fstatSync(0).isCharacterDevice();
  } catch {
    return false; // closed: the stream tells
  }
}
