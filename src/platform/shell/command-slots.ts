// Limits how many commands run at the same time, over all sessions of the process: they share its processes and
// descriptors. A command that waits starts as soon as another ends; sessions take turns: docs/decisions/0165.
import { abortable } from '../abortable.js';
import { descriptorLimit } from '../descriptors.js';
import { ofProcess } from '../of-process.js';

const MAX_COMMANDS = 64; // more would only compete for the same cores
const DESCRIPTORS_EACH = 16; // a command needs about 6, its session some more

export interface CommandSlotOptions {
  /** The session. */
  owner: object;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Says what the command waits for, as a sentence for the person. Not called if it need not wait. */
  onWait(sentence: string): void;
}

/** Runs the work once no more commands than allowed are at work. Rejects with the signal's reason if that comes first. */
export async function withCommandSlot<Value>(work: () => Promise<Value>, options: CommandSlotOptions): Promise<Value> {
  const slots = ofProcess('commandSlots', () => new CommandSlots());
  await slots.take(options);
  try {
    return await work();
  } finally {
    slots.giveBack();
  }
}

interface Waiting {
  limit: number;
  start(): void;
}

class CommandSlots {
  #running = 0;
  /** By session. A session that was served goes to the end. */
  readonly #waiting = new Map<object, Waiting[]>();

  async take({ owner, env, signal, onWait }: CommandSlotOptions): Promise<void> {
    signal.throwIfAborted();
    const limit = limitFrom(env);
    if (this.#running < limit && this.#waiting.size === 0) {
      this.#running += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const waiting = { limit, start: turn.resolve };
    this.#waiting.set(owner, [...(this.#waiting.get(owner) ?? []), waiting]);
    const shared = this.#waiting.size > 1 ? `, and so do those of other sessions` : '';
    onWait(`The command waits until one of the ${this.#running} that run at the same time ends${shared}.`);
    try {
      await abortable(() => turn.promise, signal);
    } catch (reason) {
      if (!this.#leave(owner, waiting)) this.giveBack(); // the slot was handed over at the moment of the abort
      throw reason;
    }
  }

  giveBack(): void {
    this.#running -= 1;
    const [first] = this.#waiting;
    if (!first) return;
    const [owner, [next, ...others]] = first;
    if (!next || this.#running >= next.limit) return;
    this.#waiting.delete(owner);
    if (others.length > 0) this.#waiting.set(owner, others);
    this.#running += 1;
    next.start();
  }

  /** Whether it was still waiting. */
  #leave(owner: object, waiting: Waiting): boolean {
    const all = this.#waiting.get(owner) ?? [];
    const others = all.filter((one) => one !== waiting);
    if (others.length > 0) this.#waiting.set(owner, others);
    else this.#waiting.delete(owner);
    return others.length < all.length;
  }
}

function limitFrom(env: CommandSlotOptions['env']): number {
  const given = env['HELVE_MAX_COMMANDS'] ?? '';
  if (/^[1-9]\d{0,5}$/.test(given)) return Number(given);
  return Math.max(1, Math.min(MAX_COMMANDS, Math.floor(descriptorLimit() / DESCRIPTORS_EACH)));
}
