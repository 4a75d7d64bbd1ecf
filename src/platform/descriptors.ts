import { readFileSync } from 'node:fs';
import { codeOf } from './error-code.js';
import { once } from './lazy.js';

/** How many files this process and its children may have open at once; infinite if the system does not report it. */
export const descriptorLimit: () => number = once(() => {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
});

/** Whether the system refused a file, a socket or a process because too many files are open. */
export const isOutOfDescriptors = (error: unknown): boolean => codeOf(error) === 'EMFILE' || codeOf(error) === 'ENFILE';

/** One sentence without its end, for people and models. */
export const OUT_OF_DESCRIPTORS =
  'too many files are open at once (ulimit -n shows the limit). End other work of this program, or raise the limit';
