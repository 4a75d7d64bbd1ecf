// Limits how many agents of this process work at the same time. Each of them needs some processes and descriptors, so
// any number may be open, but only a limited number may work: docs/decisions/0036.
import { setImmediate as nextTurn } from 'node:timers';
import type { AskPermission } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import { abortable } from '../platform/abortable.js';
import { monotonicMs } from '../platform/clock.js';
import { descriptorLimit } from '../platform/descriptors.js';
import { ofProcess } from '../platform/of-process.js';

const MAX_WORKING = 50; // more agents would only compete for the same cores
const STARTS_PER_TURN = 8;
const MAX_START_MS = 20; // of one turn, for all agents that start in it
const DESCRIPTORS_EACH = 160; // a working agent needs about 30, and every other agent 6

/** The slot of one working agent. */
export interface AgentSlot {
  /** Releases the slot while a person is asked, so that others can work meanwhile. */
  paused<Value>(question: () => Promise<Value>): Promise<Value>;
  /** Releases the slot. Returns whether another agent was waiting for one. */
  release(): boolean;
}

/**
 * Waits for a slot. An agent that is interrupted meanwhile gets one that does not count, so that it can end normally.
 * `onWait` is called at once, with a sentence for the person, if others have to finish first.
 */
export async function takeSlot(
  env: Environment,
  signal: AbortSignal,
  onWait: (sentence: string) => void = () => {},
): Promise<AgentSlot> {
  const slots = sharedSlots();
  const limit = limitFrom(env);
  const sentence = slots.waitFor(limit);
  if (sentence !== undefined) onWait(sentence);
  let isTaken = await slots.take(limit, signal);
  let openQuestions = 0;
  return {
    async paused(question) {
      openQuestions += 1;
      if (openQuestions === 1 && isTaken) {
        isTaken = false;
        slots.giveBack();
      }
      try {
        return await question();
      } finally {
        openQuestions -= 1;
        if (openQuestions === 0 && !isTaken) isTaken = await slots.take(limitFrom(env), signal);
      }
    },
    release() {
      if (!isTaken) return false;
      isTaken = false;
      return slots.giveBack();
    },
  };
}

interface Questions {
  askPermission?: AskPermission | undefined;
  askUser?: AskUser | undefined;
}

/** Wraps the questions, so that another agent may work while they are open. */
export function questionsPaused({ askPermission, askUser }: Questions, slot: () => AgentSlot | undefined): Questions {
  const paused = <Answer>(question: () => Promise<Answer>): Promise<Answer> => slot()?.paused(question) ?? question();
  return {
    ...(askPermission && { askPermission: (...asked) => paused(() => askPermission(...asked)) }),
    ...(askUser && { askUser: (...asked) => paused(() => askUser(...asked)) }),
  };
}

type Environment = Readonly<Record<string, string | undefined>>;

function limitFrom(env: Environment): number {
  const given = env['HELVE_MAX_WORKING_AGENTS'] ?? '';
  if (/^[1-9]\d{0,5}$/.test(given)) return Number(given);
  return Math.max(1, Math.min(MAX_WORKING, Math.floor(descriptorLimit() / DESCRIPTORS_EACH)));
}

class AgentSlots {
  #working = 0;
  readonly #waiting: Array<{ limit: number; start(): void }> = [];
  /** Whether agents are being started, some in each turn of the event loop. */
  #isStarting = false;

  /** What an agent would wait for now; undefined if it could start, or needs only to wait for the start of others. */
  waitFor(limit: number): string | undefined {
    const before = this.#waiting.length;
    if (this.#working + before < limit) return undefined;
    const others = before === 0 ? '' : `, after ${before} that ${before === 1 ? 'waits' : 'wait'} already`;
    return `Waiting until one of the ${this.#working} sessions that work at the same time is done${others}.`;
  }

  /** True once the slot is taken; false if the signal aborted first. */
  async take(limit: number, signal: AbortSignal): Promise<boolean> {
    if (signal.aborted) return false;
    if (this.#working < limit && this.#waiting.length === 0 && !this.#isStarting) {
      this.#working += 1;
      this.#startOthers();
      return true;
    }
    const turn = Promise.withResolvers<void>();
    const waiting = { limit, start: turn.resolve };
    this.#waiting.push(waiting);
    this.#startOthers();
    try {
      await abortable(() => turn.promise, signal);
      return true;
    } catch {
      const index = this.#waiting.indexOf(waiting);
      if (index >= 0) this.#waiting.splice(index, 1);
      else this.giveBack(); // the slot was assigned at the moment of the abort
      return false;
    }
  }

  /** The slot goes to the first agent that waits. Returns whether there was one. */
  giveBack(): boolean {
    this.#working -= 1;
    this.#startOthers();
    return this.#waiting.length > 0;
  }

  #startNext(): void {
    const [next] = this.#waiting;
    if (!next || this.#working >= next.limit) return;
    this.#waiting.shift();
    this.#working += 1;
    next.start();
  }

  /** The start of an agent takes some milliseconds, so that fifty in one turn of the event loop would hold it. */
  #startOthers(): void {
    if (this.#isStarting) return;
    this.#isStarting = true;
    nextTurn(() => {
      const began = monotonicMs();
      // Node lets the promises of each agent go on before it calls the next of these.
      for (let left = STARTS_PER_TURN - 1; left >= 0; left -= 1) {
        nextTurn(() => {
          if (left === STARTS_PER_TURN - 1 || monotonicMs() - began < MAX_START_MS) this.#startNext();
          if (left > 0) return;
          this.#isStarting = false;
          const [next] = this.#waiting;
          if (next && this.#working < next.limit) this.#startOthers();
        });
      }
    });
  }
}

const sharedSlots = (): AgentSlots => ofProcess('workingAgents', () => new AgentSlots());
