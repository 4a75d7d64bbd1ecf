import type { FileLedger, SeenFile } from '../contract/tool-context.js';

/** The ledger, with a listener that hears of everything that is set in it. */
export const watchedLedger = (
  ledger: FileLedger,
  onSeen: ((real: string, seen: SeenFile) => void) | undefined,
): FileLedger => ({
  get: (real) => ledger.get(real),
  set(real, seen) {
    ledger.set(real, seen);
    onSeen?.(real, seen);
  },
  forget: (real) => ledger.forget(real),
});
