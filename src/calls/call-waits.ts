// Notes what a call waits for before its work begins, so that a person can see why it does not run.
import type { CallWait, WaitReason } from '../contract/call-timing.js';
import type { ToolResultEvent } from '../contract/event.js';
import { monotonicMs } from '../platform/clock.js';
import type { CallEnvironment } from './environment.js';

const NOTED_MS = 50; // shorter waits for hooks and room are not worth a line

export class CallWaits {
  readonly #call: { id: string; name: string };
  readonly #emit: CallEnvironment['emit'];
  readonly #waits: CallWait[] = [];

  constructor({ id, name }: { id: string; name: string }, { emit }: Pick<CallEnvironment, 'emit'>) {
    this.#call = { id, name };
    this.#emit = emit;
  }

  /** The same, with questions noted. */
  watched(environment: CallEnvironment): CallEnvironment {
    const { askPermission } = environment;
    if (!askPermission) return environment;
    return {
      ...environment,
      askPermission: async (question, signal) => await this.during('question', () => askPermission(question, signal)),
    };
  }

  async during<Value>(reason: WaitReason, work: () => Promise<Value>, detail?: string): Promise<Value> {
    return await this.until(
      reason,
      async (ended) => {
        try {
          return await work();
        } finally {
          ended();
        }
      },
      detail,
    );
  }

  /** The wait lasts until the function that is given to the work is called. */
  async until<Value>(reason: WaitReason, work: (ended: () => void) => Promise<Value>, detail?: string): Promise<Value> {
    const ended = this.#begin(reason, detail);
    try {
      return await work(ended);
    } finally {
      ended(); // aborted before
    }
  }

  /** The wait begins when the function that is given to the work is called, if it is, and lasts until the work ends. */
  async since<Value>(reason: WaitReason, work: (begun: () => void) => Promise<Value>): Promise<Value> {
    let ended: (() => void) | undefined;
    try {
      return await work(() => {
        ended ??= this.#begin(reason);
      });
    } finally {
      ended?.();
    }
  }

  /** Returns what ends the wait. */
  #begin(reason: WaitReason, detail?: string): () => void {
    const from = Date.now();
    const begunMs = monotonicMs(); // the clock may be set meanwhile
    const wait: CallWait = { reason, from, to: null, ...(detail !== undefined && { detail }) };
    const isNotedAtOnce = reason === 'earlier_call' || reason === 'question';
    const note = (): void => {
      const { id: callId, name: tool } = this.#call;
      this.#emit({ type: 'tool_wait', callId, tool, reason, ...(detail !== undefined && { detail }) });
    };
    const timer = isNotedAtOnce ? undefined : setTimeout(note, NOTED_MS);
    if (isNotedAtOnce) note();
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      const tookMs = Math.round(monotonicMs() - begunMs);
      wait.to = from + tookMs;
      if (isNotedAtOnce || tookMs >= NOTED_MS) this.#waits.push(wait);
    };
  }

  recorded(): Pick<ToolResultEvent, 'waits'> {
    return this.#waits.length === 0 ? {} : { waits: this.#waits };
  }
}
