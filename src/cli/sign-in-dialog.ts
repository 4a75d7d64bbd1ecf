// What the commands that sign in show, and what they read.
import { createInterface } from 'node:readline';
import { messageOf } from '../platform/message-of.js';
import { visible } from '../platform/text/visible.js';
import { wrapped, writeLine } from './write-line.js';

/** Shows the address to open, and what to do if the browser can't come back. */
export async function showAddress(address: string, isOpened: boolean): Promise<void> {
  const before = isOpened
    ? 'A browser was opened. If you do not see it, open this address:'
    : 'Open this address in a browser, on this machine or another one:';
  await writeLine(process.stdout, `${before}\n\n${visible(address)}\n`);
  const after =
    "If the browser then shows a page that can't be loaded, because it runs on another machine, paste the address of that page here and press Enter.";
  await writeLine(process.stdout, wrapped(after, process.stdout));
}

/** Lines of standard input are addresses that the browser ended at. */
export function readPasted(take: (text: string) => void): { close(): void } {
  const lines = createInterface({ input: process.stdin, terminal: false });
  lines.on('line', (line) => {
    if (line.trim() === '') return;
    try {
      take(line);
    } catch (error) {
      void tell(visible(messageOf(error)));
    }
  });
  return {
    close: () => {
      lines.close();
      process.stdin.pause();
      process.stdin.unref?.(); // a pipe that stays open would keep the process running
    },
  };
}

/** On standard error. */
export const tell = async (text: string): Promise<void> =>
  await writeLine(process.stderr, wrapped(`helve: ${text}`, process.stderr));
