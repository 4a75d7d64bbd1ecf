import type { ReadStream } from 'node:tty';

const SILENCE_MS = 3_000; // a program that starts us and leaves the pipe open, with nothing to say, must not hang us

/** All of standard input, unless it is a terminal, or one that may be silent and has said nothing for a while. */
export async function readPiped(stdin: ReadStream, { mayBeSilent }: { mayBeSilent: boolean }): Promise<string> {
  if (stdin.isTTY) return '';
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
