// What the host process says. Its stderr is the log file; a full one is copied to FILE.old and emptied, since other
// processes have it open by its name and this one by its descriptor.
import { copyFileSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { visible } from '../../platform/text/visible.js';
import { LimitedLines } from '../limited-lines.js';

export const MAX_LOG_BYTES = 1_000_000;

export interface HostLogOptions {
  /** Where it is written; stderr unless the caller says otherwise. */
  descriptor?: number;
  maxBytes?: number;
}

/** Returns a function that writes a sentence with its time. It never throws: a full disk must not end the sessions. */
export function hostLog(
  path: string,
  { descriptor = 2, maxBytes = MAX_LOG_BYTES }: HostLogOptions = {},
): (sentence: string) => void {
  const lines = new LimitedLines();
  return (sentence) => {
    try {
      for (const line of lines.take(sentence)) {
        const { size } = fstatSync(descriptor); // 0 for a pipe or a terminal
        if (size > maxBytes) {
          copyFileSync(path, `${path}.old`);
          ftruncateSync(descriptor);
        }
        writeSync(descriptor, `${new Date().toISOString()} ${visible(line)}\n`);
      }
    } catch {
      // The disk is full, or the reader is gone: there is no other place to say so.
    }
  };
}
