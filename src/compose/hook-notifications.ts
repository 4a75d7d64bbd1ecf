import type { HookEvent, HookPayloads, Hooks } from '../contract/hook.js';

const MOMENT_MS = 60_000; // more than hooks take by default is not waited for

/** Moments that hooks only hear of: what they say changes nothing of what has happened. */
export interface Moments {
  /** Starts the hooks of a moment. */
  note<Event extends HookEvent>(event: Event, payload: HookPayloads[Event]): void;
  /** Resolves once the hooks that were started have ended, so that the next request or command comes after them. */
  settled(): Promise<void>;
}

export function createMoments(hooks: Hooks, say: (text: string) => void): Moments {
  const running = new Set<Promise<void>>();
  return {
    note(event, payload) {
      if (!hooks.has(event)) return;
      const one = hooks
        .run(event, payload, { signal: AbortSignal.timeout(MOMENT_MS) })
        .then(({ messages, reports }) => [...messages, ...reports].forEach(say))
        .catch(() => {}) // it took too long
        .finally(() => running.delete(one));
      running.add(one);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
