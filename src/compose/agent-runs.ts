import { type AgentSlot, takeSlot } from '../agent/working-agents.js';

/** The runs of one agent, one at a time, because they share one history. */
export class AgentRuns {
  readonly #env: Readonly<Record<string, string | undefined>>;
  #running: { stop: AbortController; over: PromiseWithResolvers<void> } | undefined;
  #slot: AgentSlot | undefined;
  #waiting: AbortController | undefined;
  #ended: Promise<void> | undefined;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#env = env;
  }

  /** The slot of the current run among the agents of the process that work at the same time. */
  get slot(): AgentSlot | undefined {
    return this.#slot;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Throws if a run is going on. The returned signal aborts with an interrupt, too. */
  begin(signal: AbortSignal | undefined): AbortSignal {
    if (this.#ended) {
      throw new Error('This agent has ended, so it runs no more prompts. Create another agent, or resume its session.');
    }
    if (this.#running) {
      throw new Error('This agent is already running a prompt. Wait for its result, or create another agent.');
    }
    const stop = new AbortController();
    this.#running = { stop, over: Promise.withResolvers() };
    return signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  }

  /** Waits until the agent may work. Yields a sentence for the person if others have to finish first. */
  async *takeSlot(signal: AbortSignal): AsyncGenerator<string, void, void> {
    this.#waiting = new AbortController();
    let waitsFor: string | undefined;
    const taking = takeSlot(this.#env, AbortSignal.any([signal, this.#waiting.signal]), (sentence) => {
      waitsFor = sentence;
    });
    if (waitsFor !== undefined) yield waitsFor; // its reader may never come back
    this.#slot = await taking;
  }

  /** Releases the slot, or stops waiting for it. Returns whether another agent was waiting for one. */
  releaseSlot(): boolean {
    if (!this.#slot) this.#waiting?.abort();
    this.#waiting = undefined;
    const isWaitedFor = this.#slot?.release() ?? false;
    this.#slot = undefined;
    return isWaitedFor;
  }

  /** All work of the run is done; its last events may still be unread. */
  over(): void {
    this.#running?.over.resolve();
  }

  finish(): void {
    this.over();
    this.#running = undefined;
  }

  interrupt(): void {
    this.#running?.stop.abort(new Error('Interrupted.'));
  }

  /** Interrupts the current run, waits for its work, and calls `end`; once. */
  end(end: () => Promise<void>): Promise<void> {
    this.#ended ??= this.#end(end);
    return this.#ended;
  }

  async #end(end: () => Promise<void>): Promise<void> {
    this.interrupt();
    await this.#running?.over.promise; // does not wait for its events to be read: their reader may be the one that waits here
    await end();
  }
}
