import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * The line that a person types; empty if they leave with Ctrl-C or Ctrl-D. A hidden answer appears nowhere on the
 * terminal: readline takes over the echo, and writes it to a stream that drops it.
 */
export async function answerTo(question: string, { isHidden = false } = {}): Promise<string> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({
    input: process.stdin,
    output: isHidden ? nowhere : process.stdout,
    ...(isHidden && { terminal: true, historySize: 0 }),
  });
  const left = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  try {
    if (isHidden) process.stdout.write(question);
    return await Promise.race([terminal.question(isHidden ? '' : question), left]);
  } finally {
    terminal.close();
    if (isHidden) process.stdout.write('\n');
  }
}
