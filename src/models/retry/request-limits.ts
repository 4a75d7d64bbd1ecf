// What the sessions of a process know together about an account at a provider: how many requests are on their way, and
// until when the server has asked to wait. Without it, each of fifty sessions would find out about a limit for itself,
// and all of them would come back at the same moment: docs/decisions/0165.
import { abortable } from '../../platform/abortable.js';

/** Once this many requests are let in at a time and the server accepts them, the limit counts as over. */
const LARGEST_STEP = 32;

interface Asking {
  /** The session. Those that wait take turns, however many requests each of them has. */
  owner: object;
  provider: string;
  model: string;
  /** How many requests of the account may be on their way at once. */
  most: number;
}

interface Waiting extends Asking {
  start(): void;
}

/** A wait that the server has asked for. */
interface Hold {
  until: number;
  /** If it is overloaded, this model alone. */
  model: string | undefined;
  timer: NodeJS.Timeout;
}

/** One request, from when it is asked for until its answer is over. */
export interface RequestEntry {
  /** What it waits for, as a sentence for the person; undefined if it need not wait. */
  readonly waitsFor: string | undefined;
  /** Resolves when the request may be sent. Rejects with the signal's reason. */
  started(signal: AbortSignal): Promise<void>;
  /** The server has begun to answer. */
  accepted(): void;
  /** Call it in any case, once. */
  leave(): void;
}

export class AccountLimits {
  readonly #onUnused: () => void;
  readonly #holds = new Set<Hold>();
  readonly #queue = new Map<object, Waiting[]>();
  readonly #owners = new Map<object, number>();
  #running = 0;
  /** After a wait: how many requests may be on their way that the server has not begun to answer. */
  #step = Number.POSITIVE_INFINITY;
  #unanswered = 0;

  constructor(onUnused: () => void) {
    this.#onUnused = onUnused;
  }

  enter(asking: Asking): RequestEntry {
    this.#count(asking.owner, 1);
    const obstacle = this.#obstacle(asking); // those that wait have one as well
    let state: 'waiting' | 'unanswered' | 'accepted' | 'left' = 'waiting';
    const start = Promise.withResolvers<void>();
    const waiting: Waiting = {
      ...asking,
      start: () => {
        state = 'unanswered';
        this.#running += 1;
        this.#unanswered += 1;
        start.resolve();
      },
    };
    const waitsFor = obstacle && this.#inWords(asking, obstacle);
    if (obstacle === undefined) waiting.start();
    else this.#enqueue(waiting);
    return {
      waitsFor,
      started: async (signal) => await abortable(() => start.promise, signal),
      accepted: () => {
        if (state !== 'unanswered') return;
        state = 'accepted';
        this.#unanswered -= 1;
        this.#step *= 2;
        if (this.#step > LARGEST_STEP) this.#step = Number.POSITIVE_INFINITY;
        this.#startNext();
      },
      leave: () => {
        if (state === 'left') return;
        if (state === 'waiting') this.#dequeue(waiting);
        else this.#running -= 1;
        if (state === 'unanswered') this.#unanswered -= 1;
        state = 'left';
        this.#count(asking.owner, -1);
        this.#startNext();
        this.#checkUse();
      },
    };
  }

  /**
   * The server has asked this session to wait: no request starts meanwhile, and then one after the other until the
   * server accepts them. The returned function ends the wait early.
   */
  hold(ms: number, { owner, model }: { owner: object; model?: string | undefined }): () => void {
    this.#count(owner, 1);
    const over = (): void => {
      clearTimeout(hold.timer);
      if (!this.#holds.delete(hold)) return;
      this.#count(owner, -1);
      this.#step = 1;
      this.#startNext();
      this.#checkUse();
    };
    const hold: Hold = { until: performance.now() + ms, model, timer: setTimeout(over, ms) };
    this.#holds.add(hold);
    this.#keepAliveIfWaitedFor();
    return over;
  }

  #obstacle({ model, most }: Asking): Hold | 'full' | 'turn' | undefined {
    let longest: Hold | undefined;
    for (const hold of this.#holds) {
      const concerns = hold.model === undefined || hold.model === model;
      if (concerns && hold.until > (longest?.until ?? 0)) longest = hold;
    }
    if (longest) return longest;
    if (this.#running >= most) return 'full';
    return this.#unanswered >= this.#step ? 'turn' : undefined;
  }

  #inWords({ provider, model, most }: Asking, obstacle: Hold | 'full' | 'turn'): string {
    const count = this.#owners.size;
    const shared = count > 1 ? ` (shared by ${count} sessions)` : '';
    if (obstacle === 'full') return `Waiting until one of ${most} requests to ${provider} is over${shared}.`;
    if (obstacle === 'turn') return `Waiting for a turn at ${provider}${shared}.`;
    const seconds = Math.max(1, Math.ceil((obstacle.until - performance.now()) / 1000));
    const what = obstacle.model === undefined ? `the rate limit of ${provider}` : `${model}, which is overloaded`;
    return `Waiting for ${what}${shared}, ${seconds} s.`;
  }

  #startNext(): void {
    for (let hasStarted = true; hasStarted; ) {
      hasStarted = false;
      for (const [owner, [first]] of this.#queue) {
        if (!first || this.#obstacle(first) !== undefined) continue;
        this.#dequeue(first);
        const others = this.#queue.get(owner);
        if (others) {
          this.#queue.delete(owner); // its other requests come after those of the other sessions
          this.#queue.set(owner, others);
        }
        first.start();
        hasStarted = true;
        break;
      }
    }
  }

  #enqueue(waiting: Waiting): void {
    const others = this.#queue.get(waiting.owner);
    if (others) others.push(waiting);
    else this.#queue.set(waiting.owner, [waiting]);
    this.#keepAliveIfWaitedFor();
  }

  #dequeue(waiting: Waiting): void {
    const left = this.#queue.get(waiting.owner)?.filter((one) => one !== waiting) ?? [];
    if (left.length > 0) this.#queue.set(waiting.owner, left);
    else this.#queue.delete(waiting.owner);
    this.#keepAliveIfWaitedFor();
  }

  #keepAliveIfWaitedFor(): void {
    for (const { timer } of this.#holds) {
      if (this.#queue.size > 0) timer.ref();
      else timer.unref();
    }
  }

  #count(owner: object, more: 1 | -1): void {
    const count = (this.#owners.get(owner) ?? 0) + more;
    if (count > 0) this.#owners.set(owner, count);
    else this.#owners.delete(owner);
  }

  #checkUse(): void {
    if (this.#owners.size === 0 && this.#holds.size === 0) this.#onUnused();
  }
}

/** The limits of all accounts, by a name that does not give the key away. */
export class RequestLimits {
  readonly #accounts = new Map<string, AccountLimits>();

  of(account: string): AccountLimits {
    let limits = this.#accounts.get(account);
    if (!limits) {
      limits = new AccountLimits(() => this.#accounts.delete(account));
      this.#accounts.set(account, limits);
    }
    return limits;
  }

  get size(): number {
    return this.#accounts.size;
  }
}
