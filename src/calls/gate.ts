// Step 5 of the path: calls stand in message order, and each waits for the earlier ones that it conflicts with, no others.
import type { Effect } from '../contract/effect.js';
import { abortable } from '../platform/abortable.js';
import { conflict, sameEffects } from './conflict.js';

/**
 * One per root session; the calls of child agents pass through it too. A call that runs calls of its own declares no
 * effects, so nothing waits for it and its children can't be blocked by it.
 */
export class Gate {
  readonly #places: Place[] = [];

  /** Takes the next place. Until its effects are known it holds up whatever joins after it, so order is never guessed. */
  join(): Place {
    const place = new Place({
      advance: () => this.#advance(),
      remove: (leaving) => {
        const index = this.#places.indexOf(leaving);
        if (index >= 0) this.#places.splice(index, 1);
        this.#advance();
      },
    });
    this.#places.push(place);
    return place;
  }

  #advance(): void {
    for (const [index, place] of this.#places.entries()) {
      if (place.state === 'waiting' && !this.#isBlocked(place, index)) place.admit();
    }
  }

  /** Not yet computed, or computed for a directory that a call before it is about to leave. */
  #effectsAreFinal(place: Place, index: number): boolean {
    if (place.state === 'running') return true;
    if (place.state !== 'waiting') return false;
    return (
      !place.effects.some(concernsDirectory) ||
      !this.#places.slice(0, index).some((earlier) => earlier.effects.some(writesDirectory))
    );
  }

  #isBlocked(place: Place, index: number): boolean {
    if (place.effects.length === 0) return false;
    return this.#places.some((other, at) => {
      if (at < index) return !this.#effectsAreFinal(other, at) || conflict(other.effects, place.effects);
      // A later call got ahead only when a changed input sent this one back: it holds what it holds.
      return at > index && other.state === 'running' && conflict(other.effects, place.effects);
    });
  }
}

const concernsDirectory = (effect: Effect): boolean => effect.kind === 'session' && effect.what === 'cwd';

const writesDirectory = (effect: Effect): boolean =>
  effect.kind === 'session' && effect.what === 'cwd' && effect.access === 'write';

interface Queue {
  advance(): void;
  remove(place: Place): void;
}

type PlaceState = 'asking' | 'waiting' | 'rechecking' | 'running';

export class Place {
  readonly #queue: Queue;
  #state: PlaceState = 'asking';
  #effects: readonly Effect[] = [];
  #admitted: (() => void) | undefined;

  constructor(queue: Queue) {
    this.#queue = queue;
  }

  get state(): PlaceState {
    return this.#state;
  }

  get effects(): readonly Effect[] {
    return this.#effects;
  }

  /**
   * Resolves when it is this call's turn, with the effects as they are then. Calling it again, for a call whose input
   * was rewritten, lets go of everything and waits in the same place. The caller must `leave` whatever happens.
   */
  async enter(effectsNow: () => Promise<readonly Effect[]>, signal: AbortSignal): Promise<readonly Effect[]> {
    this.#state = 'asking';
    let effects = await abortable(effectsNow, signal);
    while (await this.#waitForTurn(effects, signal)) {
      // Calls have finished since: the directory may have moved, a name may lead elsewhere. Nobody behind may start
      // before this one knows what it touches, or two conflicting calls could swap.
      this.#state = 'rechecking';
      const current = await abortable(effectsNow, signal);
      if (sameEffects(current, effects)) break;
      effects = current;
    }
    this.#state = 'running';
    this.#queue.advance();
    return this.#effects;
  }

  leave(): void {
    this.#queue.remove(this);
  }

  /** For the gate alone: the turn has come. */
  admit(): void {
    this.#state = 'rechecking';
    this.#admitted?.();
  }

  /** Tells whether it had to wait; if not, nothing can have changed since the effects were computed. */
  async #waitForTurn(effects: readonly Effect[], signal: AbortSignal): Promise<boolean> {
    this.#effects = effects;
    this.#state = 'waiting';
    const turn = Promise.withResolvers<void>();
    this.#admitted = turn.resolve;
    this.#queue.advance();
    const mustWait = this.state === 'waiting';
    if (mustWait) await abortable(() => turn.promise, signal);
    return mustWait;
  }
}
