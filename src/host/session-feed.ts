// What clients see of a session: a list of entries that grow and change. A client that reads slowly does not get every
// step; it gets the present form of each entry that changed since it last looked. So its queue holds at most each entry
// once, nothing is lost, and the session never waits for it. A client that joins late is one for which all has changed.

import type { CallWait } from '../contract/call-timing.js';
import type { Effect } from '../contract/effect.js';
import type { CompactionEvent, RunResult } from '../contract/event.js';
import type { FailureKind } from '../contract/failure.js';
import type { UserBlock } from '../contract/message.js';
import type { RetryFacts } from '../contract/model.js';
import type { ToolDisplay } from '../contract/tool.js';
import { randomId } from '../platform/crypto.js';
import type { GrowingText } from '../platform/text/growing-text.js';
import type { OpenQuestion } from './open-questions.js';
import type { SessionFacts } from './session-facts.js';

export const hostStates = ['idle', 'running', 'requires_action', 'failed'] as const;

/** `requires_action`: a question waits for an answer. `failed`: the last prompt failed; the next one may be sent. */
export type HostState = (typeof hostStates)[number];

/** One entry. Its `id` is unique in the feed; entries of the last three kinds exist once and change in place. */
export type FeedEntry =
  | { kind: 'prompt'; id: string; content: readonly UserBlock[] }
  /** What was said so far; the same text grows in place. It is empty once the model has withdrawn it. */
  | { kind: 'text'; id: string; text: GrowingText }
  | { kind: 'thought'; id: string; text: GrowingText }
  | FeedCall
  | FeedNotice
  | ({ kind: 'compaction'; id: string } & FeedCompaction)
  | { kind: 'question'; id: string; question: OpenQuestion; isOpen: boolean }
  /** The end of a prompt; `id` is that of the prompt with `end:` before it. */
  | { kind: 'end'; id: string; promptId: string; end: PromptEnd }
  /** A turn is complete, or a client has changed something: the title may have changed, too. */
  | { kind: 'progress'; id: 'progress'; turns: number; facts: SessionFacts }
  | { kind: 'commands'; id: 'commands'; changes: number }
  | { kind: 'state'; id: 'state'; state: HostState };

export type FeedCompaction = Pick<
  CompactionEvent,
  'tokensBefore' | 'tokensAfter' | 'clearedResults' | 'summarisedMessages'
>;

/** Something that the person should know, and the model need not. */
interface FeedNotice {
  kind: 'notice';
  id: string;
  text: string;
  /** While a request is being retried: there is one such notice for all retries of an answer. */
  retry?: RetryFacts;
}

/** A call of a tool, from its complete input to its result. */
export interface FeedCall {
  kind: 'call';
  id: string;
  tool: string;
  input: unknown;
  status: 'pending' | 'running' | 'completed' | 'failed';
  display: ToolDisplay;
  /** What it would touch, once that is known. */
  effects?: readonly Effect[];
  /** When its input was complete, when its work began, and when it ended: milliseconds since the epoch. */
  queuedAt?: number;
  startedAt?: number;
  endedAt?: number;
  /** What it waited for before its work began, or waits for now. */
  waits?: readonly CallWait[];
  /** The last words of its progress, while it runs. */
  progress?: string;
  failure?: FailureKind;
  /** What went wrong, for the person. */
  problem?: string;
  /** The child agent that made it, and the call that started that agent. */
  agent?: { type: string; parentCallId: string };
}

/** How a prompt ended: with a result, or with an error before there was one. */
export type PromptEnd = { result: RunResult } | { error: Error };

/** An entry that is new or has changed since the subscriber last read. */
export interface FeedChange {
  entry: FeedEntry;
  isNew: boolean;
  /** For text: how many characters of it the subscriber has had. */
  from: number;
}

export class SessionFeed {
  /** A session that is opened again has another feed, whose numbers mean other changes. */
  readonly epoch = randomId();
  readonly #entries = new Map<string, FeedEntry>();
  /** The number of the last change of each entry. */
  readonly #changes = new Map<string, number>();
  #seq = 0;
  readonly #subscribers = new Set<FeedSubscription>();
  #hasEnded = false;

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The number of changes so far. */
  get seq(): number {
    return this.#seq;
  }

  get entries(): Iterable<FeedEntry> {
    return this.#entries.values();
  }

  get<Kind extends FeedEntry['kind']>(id: string, kind: Kind): Extract<FeedEntry, { kind: Kind }> | undefined {
    const entry = this.#entries.get(id);
    return entry?.kind === kind ? (entry as Extract<FeedEntry, { kind: Kind }>) : undefined; // its kind was just compared
  }

  /** Adds the entry, or replaces the one with its id. */
  put(entry: FeedEntry): void {
    this.#entries.set(entry.id, entry);
    this.#seq += 1;
    this.#changes.set(entry.id, this.#seq);
    for (const subscriber of this.#subscribers) subscriber.note(entry.id);
  }

  /** `fromStart`: everything so far counts as changed; `after`: what has changed after that number of changes. */
  subscribe({ fromStart = false, after = this.#seq }: { fromStart?: boolean; after?: number }): FeedSubscription {
    const subscriber: FeedSubscription = new FeedSubscription(this.#entries, {
      seq: fromStart ? 0 : after,
      seqNow: () => this.#seq,
      onClose: () => this.#subscribers.delete(subscriber),
    });
    const entries = [...this.#entries.values()];
    const inPlace = entries.filter(({ kind }) => changesInPlace.has(kind)); // they tell of the end, so they come last
    for (const { id, kind } of [...entries.filter((entry) => !inPlace.includes(entry)), ...inPlace]) {
      const isNew = fromStart || (this.#changes.get(id) ?? 0) > after;
      if (isNew || kind === 'question') subscriber.note(id);
      else subscriber.skip(id);
    }
    this.#subscribers.add(subscriber);
    return subscriber;
  }

  get subscriberCount(): number {
    return this.#subscribers.size;
  }

  /** No more entries: subscribers get what is left, and end. */
  end(): void {
    this.#hasEnded = true;
    for (const subscriber of this.#subscribers) subscriber.end();
  }
}

const changesInPlace: ReadonlySet<FeedEntry['kind']> = new Set(['progress', 'commands', 'state']);

/** One client's position in a feed. Iterating over it gives the changes, in the order in which they began. */
export class FeedSubscription implements AsyncIterable<FeedChange> {
  readonly #entries: ReadonlyMap<string, FeedEntry>;
  readonly #onClose: () => void;
  readonly #seqNow: () => number;
  #seq: number;
  readonly #changed = new Set<string>();
  readonly #known = new Map<string, number>();
  #hasEnded = false;
  #wake = Promise.withResolvers<void>();

  constructor(
    entries: ReadonlyMap<string, FeedEntry>,
    { seq, seqNow, onClose }: { seq: number; seqNow: () => number; onClose: () => void },
  ) {
    this.#entries = entries;
    this.#seq = seq;
    this.#seqNow = seqNow;
    this.#onClose = onClose;
  }

  /** All changes up to this number were read: with it, a client that lost its connection misses nothing. */
  get seq(): number {
    if (this.#changed.size === 0) this.#seq = this.#seqNow();
    return this.#seq;
  }

  /** How many entries wait to be read: at most as many as the feed has. */
  get waiting(): number {
    return this.#changed.size;
  }

  note(id: string): void {
    if (this.#hasEnded) return;
    this.#changed.add(id);
    this.#wake.resolve();
  }

  /** The subscriber has had the entry as it is now. */
  skip(id: string): void {
    const entry = this.#entries.get(id);
    if (entry) this.#known.set(id, lengthOf(entry));
  }

  end(): void {
    this.#hasEnded = true;
    this.#onClose();
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<FeedChange, void, void> {
    try {
      for (;;) {
        const [id] = this.#changed;
        if (id !== undefined) {
          this.#changed.delete(id);
          const change = this.#take(id);
          if (change) yield change;
        } else if (this.#hasEnded) return;
        else {
          this.#wake = Promise.withResolvers<void>();
          await this.#wake.promise;
        }
      }
    } finally {
      this.end();
    }
  }

  #take(id: string): FeedChange | undefined {
    const entry = this.#entries.get(id);
    if (!entry) return undefined;
    const from = this.#known.get(id);
    this.#known.set(id, lengthOf(entry));
    // A text that was withdrawn is shorter than what the subscriber has had.
    return { entry, isNew: from === undefined, from: Math.min(from ?? 0, lengthOf(entry)) };
  }
}

const lengthOf = (entry: FeedEntry): number => ('text' in entry ? entry.text.length : 0);
