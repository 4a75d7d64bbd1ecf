import type { Effect } from '../../contract/effect.js';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';

export interface ForgottenFile {
  real: string;
  seen: SeenFile;
}

/**
 * Which calls showed which files, so that a file is forgotten with the text of any call that showed a part of it: what
 * the model can't see any more it must not change.
 */
export class ShownFiles {
  readonly #ledger: FileLedger;
  readonly #byCall = new Map<string, readonly string[]>();
  /** Of a session that was taken up: which of these calls showed which of these files, nobody knows any more. */
  #restored: { callIds: ReadonlySet<string>; files: readonly string[] } = { callIds: new Set(), files: [] };

  constructor(ledger: FileLedger) {
    this.#ledger = ledger;
  }

  /** What a call is about to touch. What commands print is no reading of a file, so those are left out. */
  note(callId: string, effects: readonly Effect[]): void {
    if (effects.some(({ kind }) => kind === 'command')) return;
    const files = effects.flatMap((effect) => (effect.kind === 'file' && !effect.tree ? [effect.real] : []));
    if (files.length > 0) this.#byCall.set(callId, files);
  }

  restore({ callIds, ledger }: { callIds: readonly string[]; ledger: ReadonlyMap<string, SeenFile> }): void {
    this.#restored = { callIds: new Set(callIds), files: [...ledger.keys()] };
    for (const [real, seen] of ledger) this.#ledger.set(real, seen);
  }

  /** Every file that these calls showed, the latest first. The model has to read them again. */
  forget(callIds: readonly string[]): ForgottenFile[] {
    const files = new Set<string>();
    for (const id of callIds) {
      for (const real of this.#byCall.get(id) ?? []) files.add(real);
      this.#byCall.delete(id);
    }
    if (callIds.some((id) => this.#restored.callIds.has(id))) {
      for (const real of this.#restored.files) files.add(real);
      this.#restored = { callIds: this.#restored.callIds, files: [] };
    }
    const forgotten: ForgottenFile[] = [];
    for (const real of files) {
      const seen = this.#ledger.get(real);
      if (seen) forgotten.push({ real, seen });
      this.#ledger.forget(real);
    }
    return forgotten.toSorted((one, other) => other.seen.at.getTime() - one.seen.at.getTime());
  }
}
