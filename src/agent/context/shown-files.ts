import type { Effect } from '../../contract/effect.js';
import type { Message } from '../../contract/message.js';
import type { FileLedger, SeenFile } from '../../contract/tool-context.js';
import { joinRanges } from '../../tools/editing/match/line-ranges.js';

export interface ForgottenFile {
  real: string;
  seen: SeenFile;
}

/** Where something of a file is still shown. */
export interface Showing {
  /** What calls that touched the file have in the conversation, their inputs and results. */
  texts: readonly string[];
  /** One of these calls is there as it was. */
  isWhole: boolean;
}

/** What is left of what was seen of a file; undefined for nothing. */
export type StillSeen = (file: ForgottenFile, showing: Showing) => SeenFile['lines'] | undefined;

/**
 * Which calls showed which files, so that what was seen of a file is forgotten with the texts that showed it: what the
 * model can't see any more it must not change.
 */
export class ShownFiles {
  /** As it was given, and hears which call showed a file. */
  readonly ledger: FileLedger;
  readonly #byCall = new Map<string, Set<string>>();
  /** What calls show whose results are not settled: a hook may still put something else in the place of the result. */
  readonly #pending = new Map<string, Map<string, SeenFile>>();
  /** Those of a session that was resumed: which of these calls showed which of these files is not known. */
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

  /** What a call is about to touch. Of searches and commands the ledger hears what they have shown. */
  note(callId: string, effects: readonly Effect[]): void {
    this.#pending.set(callId, new Map());
    if (effects.some(({ kind }) => kind === 'command')) return;
    const files = effects.flatMap((effect) => (effect.kind === 'file' && !effect.tree ? [effect.real] : []));
    this.#add(callId, files);
  }

  /** What the call showed, which counts from now on only if it is kept. */
  takePending(callId: string): ForgottenFile[] {
    const pending = this.#pending.get(callId) ?? [];
    this.#pending.delete(callId);
    return [...pending].map(([real, seen]) => ({ real, seen }));
  }

  /** The model gets to see it. */
  keep({ real, seen }: ForgottenFile): void {
    this.ledger.set(real, withEarlier(this.ledger.get(real), seen));
  }

  restore({ callIds, ledger }: { callIds: readonly string[]; ledger: ReadonlyMap<string, SeenFile> }): void {
    this.#restored = { callIds: new Set(callIds), files: new Set(ledger.keys()) };
    for (const [real, seen] of ledger) this.ledger.set(real, seen);
  }

  /**
   * Forgets what these calls showed and no text of `rest`, the messages that stay, shows. Gives the files of which nothing
   * is left, the latest first: the model has to read them again.
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

/** With the lines that other calls have shown of the same content. */
function withEarlier(earlier: SeenFile | undefined, seen: SeenFile): SeenFile {
  if (earlier?.hash !== seen.hash) return seen;
  if (earlier.lines === 'all' || seen.lines === 'all') return { ...seen, lines: 'all' };
  return { ...seen, lines: joinRanges([...earlier.lines, ...seen.lines]) };
}

/** All words of calls and of their results, by the id of the call. */
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
