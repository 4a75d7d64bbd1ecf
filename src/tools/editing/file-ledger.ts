import type { FileLedger, SeenFile } from '../../contract/tool-context.js';

/** Remembers, for one session, what the model has seen of each file. */
export function createFileLedger(): FileLedger {
  const files = new Map<string, SeenFile>();
  return {
    get: (real) => files.get(real),
    set: (real, seen) => void files.set(real, seen),
  };
}
