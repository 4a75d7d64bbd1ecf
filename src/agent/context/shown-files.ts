import type { Effect } from '../../contract/effect.js';
import type { Message } from '../../contract/message.js';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import { joinRanges } from '../../tools/editing/match/line-ranges.js';

export interface ForgottenFile {
  real: string;
  seen: SeenFile;
}

/** Texts in the conversation that may still show a file. */
export interface Showing {
  /** The inputs and results in the conversation of calls that touched the file. */
  texts: readonly string[];
  /** Whether one of these calls is unchanged. */
  isWhole: boolean;
}

/** Returns the lines of a file that are still seen; undefined if there are none. */
export type StillSeen = (file: ForgottenFile, showing: Showing) => SeenFile['lines'] | undefined;

/**
 * Records which calls showed which files, so that a file is forgotten with the texts that showed it: the model must
 * not change lines that it can no longer see.
 */
export class ShownFiles {
  /** The given ledger, which also records which call showed a file. */
  readonly ledger: FileLedger;
  readonly #byCall = new Map<string, Set<string>>();
  /** Files that calls show whose results are not settled: a hook may still replace the result. */
  readonly #pending = new Map<string, Map<string, SeenFile>>();
  /** Calls and files of a resumed session, for which it is unknown which call showed which file. */
  #restored: { callIds: ReadonlySet<string>; files: ReadonlySet<string> } = { callIds: new Set(), files: new Set() };

  constructor(ledger: FileLedger) {
    this.ledger = {
      get: (real) => ledger.get(real),
      set: (real, seen, call) => {
        const pending = call === undefined ? undefined : this.#pending.get(call);
        if (pending) pending.set(real, withEarlier(pending.get(real), seen));
        else ledger.set(real, seen);
        if (call !== undefined) this.#add(call, [real]);
      },
      forget: (real) => ledger.forget(real),
    };
  }

  /** Records the files that a call is about to touch. The ledger records those that searches and commands have shown. */
  note(callId: string, effects: readonly Effect[]): void {
    this.#pending.set(callId, new Map());
    if (effects.some(({ kind }) => kind === 'command')) return;
    const files = effects.flatMap((effect) => (effect.kind === 'file' && !effect.tree ? [effect.real] : []));
    this.#add(callId, files);
  }

  /** Removes and returns the files that the call showed; they count only if they are passed to `keep`. */
  takePending(callId: string): ForgottenFile[] {
    const pending = this.#pending.get(callId) ?? [];
    this.#pending.delete(callId);
    return [...pending].map(([real, seen]) => ({ real, seen }));
  }

  /** The file counts as seen by the model. */
  keep({ real, seen }: ForgottenFile): void {
    this.ledger.set(real, withEarlier(this.ledger.get(real), seen));
  }

  restore({ callIds, ledger }: { callIds: readonly string[]; ledger: ReadonlyMap<string, SeenFile> }): void {
    this.#restored = { callIds: new Set(callIds), files: new Set(ledger.keys()) };
    for (const [real, seen] of ledger) this.ledger.set(real, seen);
  }

  /**
   * Forgets lines that these calls showed and that no text of `rest`, the kept messages, shows. Returns the files of
   * which nothing is left, the latest first: the model must read them again.
   */
  forget(callIds: readonly string[], rest: readonly Message[], stillSeen: StillSeen): ForgottenFile[] {
    const left = new Set(callIds);
    const gone = new Set(callIds.flatMap((id) => [...(this.#byCall.get(id) ?? [])]));
    if (callIds.some((id) => this.#restored.callIds.has(id))) for (const real of this.#restored.files) gone.add(real);
    const texts = gone.size > 0 ? textsByCall(rest) : new Map<string, string[]>();
    for (const id of this.#byCall.keys()) if (left.has(id) && !texts.has(id)) this.#byCall.delete(id);
    const forgotten: ForgottenFile[] = [];
    for (const real of gone) {
      const seen = this.ledger.get(real);
      if (!seen) continue;
      const showing = [...texts].filter(([id]) => this.#mayShow(id, real));
      const isWhole = showing.some(([id]) => !left.has(id) && this.#byCall.has(id));
      const lines = stillSeen({ real, seen }, { texts: showing.flatMap(([, parts]) => parts), isWhole });
      if (lines !== undefined) {
        this.ledger.set(real, { ...seen, lines });
        continue;
      }
      forgotten.push({ real, seen });
      this.ledger.forget(real);
    }
    return forgotten.toSorted((one, other) => other.seen.at.getTime() - one.seen.at.getTime());
  }

  #add(callId: string, files: readonly string[]): void {
    if (files.length === 0) return;
    const known = this.#byCall.get(callId) ?? new Set();
    for (const real of files) known.add(real);
    this.#byCall.set(callId, known);
  }

  #mayShow(callId: string, real: string): boolean {
    return (
      this.#byCall.get(callId)?.has(real) ?? (this.#restored.callIds.has(callId) && this.#restored.files.has(real))
    );
  }
}

/** Adds the lines that other calls have shown of the same content. */
function withEarlier(earlier: SeenFile | undefined, seen: SeenFile): SeenFile {
  if (earlier?.hash !== seen.hash) return seen;
  if (earlier.lines === 'all' || seen.lines === 'all') return { ...seen, lines: 'all' };
  return { ...seen, lines: joinRanges([...earlier.lines, ...seen.lines]) };
}

/** All texts of calls and their results, by call id. */
function textsByCall(messages: readonly Message[]): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  const add = (id: string, found: readonly string[]): void => void texts.set(id, [...(texts.get(id) ?? []), ...found]);
  for (const { content } of messages) {
    for (const block of content) {
      if (block.type === 'tool_use') add(block.id, textsIn(block.input));
      if (block.type === 'tool_result') add(block.tool_use_id, textsIn(block.content));
    }
  }
  return texts;
}

const MAX_DEPTH = 5;

function textsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return [];
  return Object.values(value).flatMap((part) => textsIn(part, depth + 1));
}
