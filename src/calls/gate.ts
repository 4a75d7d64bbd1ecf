// Step 5 of the path: calls queue in message order, and each waits only for the earlier calls that it conflicts with.
import type { Effect } from '../contract/effect.js';
import { abortable } from '../platform/abortable.js';
import { conflict, sameEffects } from './conflict.js';

/**
 * One per root session; the calls of child agents pass through it too. A call that runs calls of its own declares no
 * effects, so nothing waits for it and its children can't be blocked by it.
 */
export class Gate {
  /** In message order. */
  readonly #entries = new Set<QueueEntry>();
  /** The entries that write something. A call that only reads is compared with these alone. */
  readonly #writers = new Set<QueueEntry>();
  #joined = 0;

  /** Takes the next place. Until its effects are known, it blocks all later entries, so that the order is certain. */
  join(callId?: string): QueueEntry {
    this.#joined += 1;
    const entry = new QueueEntry(this.#joined, callId, {
      blocker: (waiting) => this.#blocker(waiting)?.callId,
      changed: (changed) => {
        if (changed.effects.some(writes)) this.#writers.add(changed);
        else this.#writers.delete(changed);
        this.#advance();
      },
      remove: (leaving) => {
        this.#entries.delete(leaving);
        this.#writers.delete(leaving);
        this.#advance();
      },
    });
    this.#entries.add(entry);
    return entry;
  }

  /** Admits unblocked entries in order, up to the first whose effects are not final: later ones may conflict with it. */
  #advance(): void {
    let directoryMoves = false;
    for (const entry of this.#entries) {
      if (entry.state === 'waiting' && !this.#blocker(entry)) entry.admit();
      if (entry.state === 'computing' || entry.state === 'rechecking') return;
      // Its effects were computed for a directory that an earlier call is about to leave.
      if (entry.state === 'waiting' && directoryMoves && entry.effects.some(concernsDirectory)) return;
      directoryMoves ||= entry.effects.some(writesDirectory);
    }
  }

  /** An entry that the given one must wait for. */
  #blocker(entry: QueueEntry): QueueEntry | undefined {
    const others = this.#writers.has(entry) ? this.#entries : this.#writers;
    for (const other of others) {
      // A later call can be ahead only if a changed input sent this one back; the later call then keeps its turn.
      const counts = other.order < entry.order || (other.order > entry.order && other.state === 'running');
      if (counts && conflict(other.effects, entry.effects)) return other;
    }
    return undefined;
  }
}

const writes = (effect: Effect): boolean => {
  if (effect.kind === 'file' || effect.kind === 'session') return effect.access === 'write';
  if (effect.kind === 'unknown') return !effect.readOnlyHint;
  return effect.kind === 'command' && !effect.harmless;
};

const concernsDirectory = (effect: Effect): boolean => effect.kind === 'session' && effect.what === 'cwd';

const writesDirectory = (effect: Effect): boolean =>
  effect.kind === 'session' && effect.what === 'cwd' && effect.access === 'write';

interface Queue {
  /** The entry has new effects, or a new state. */
  changed(entry: QueueEntry): void;
  remove(entry: QueueEntry): void;
  /** The call that the entry waits for; undefined if it is not known. */
  blocker(entry: QueueEntry): string | undefined;
}

/** Waits for the turn of a call, which the named call delays. */
export type WaitForCall = (callId: string | undefined, turn: () => Promise<void>) => Promise<void>;

type QueueEntryState = 'computing' | 'waiting' | 'rechecking' | 'running';

export class QueueEntry {
  readonly order: number;
  readonly callId: string | undefined;
  readonly #queue: Queue;
  #state: QueueEntryState = 'computing';
  #effects: readonly Effect[] = [];
  #admitted: (() => void) | undefined;

  constructor(order: number, callId: string | undefined, queue: Queue) {
    this.order = order;
    this.callId = callId;
    this.#queue = queue;
  }

  get state(): QueueEntryState {
    return this.#state;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /**
   * Resolves when it is this call's turn, with the effects as they are then. Calling it again, for a call whose input
   * was rewritten, releases everything and waits in the same place. The caller must call `leave` in any case. `onWait` is
   * called with each wait, and the call that it is for.
   */
  async enter(
    effectsNow: () => Promise<readonly Effect[]>,
    signal: AbortSignal,
    onWait: WaitForCall = async (_, turn) => await turn(),
  ): Promise<readonly Effect[]> {
    this.#state = 'computing';
    let effects = await abortable(effectsNow, signal);
    while (await this.#waitForTurn(effects, signal, onWait)) {
      // Calls have finished since: the working directory may have changed, a symlink may have another target. No
      // later call may start before the effects of this one are known, or two conflicting calls could swap.
      this.#state = 'rechecking';
      const current = await abortable(effectsNow, signal);
      if (sameEffects(current, effects)) break;
      effects = current;
    }
    this.#state = 'running';
    this.#queue.changed(this);
    return this.#effects;
  }

  leave(): void {
    this.#queue.remove(this);
  }

  /** Called by the gate when it is this entry's turn. */
  admit(): void {
    this.#state = 'rechecking';
    this.#admitted?.();
  }

  /** Returns whether it had to wait; if not, nothing can have changed since the effects were computed. */
  async #waitForTurn(effects: readonly Effect[], signal: AbortSignal, onWait: WaitForCall): Promise<boolean> {
    this.#effects = effects;
    if (effects.length === 0) return false; // touches nothing, so it conflicts with nothing
    this.#state = 'waiting';
    const turn = Promise.withResolvers<void>();
    this.#admitted = turn.resolve;
    this.#queue.changed(this);
    const mustWait = this.state === 'waiting';
    if (mustWait) await onWait(this.#queue.blocker(this), () => abortable(() => turn.promise, signal));
    return mustWait;
  }
}
