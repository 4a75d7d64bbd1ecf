import type { HookEvent, HookPayloads, Hooks } from '../contract/hook.js';
import { timeLimit } from '../platform/time-limit.js';

const HOOKS_MS = 60_000; // hooks that take longer than this are not waited for

/** Runs hooks whose answers have no effect, since they are only notified of something that has happened. */
export interface HookNotifications {
  /** Starts the hooks of an event. */
  note<Event extends HookEvent>(event: Event, payload: HookPayloads[Event]): void;
  /** Resolves once the hooks that were started have ended, so that the next request or command comes after them. */
  settled(): Promise<void>;
}

export function createHookNotifications(hooks: Hooks, say: (text: string) => void): HookNotifications {
  const running = new Set<Promise<void>>();
  return {
    note(event, payload) {
      if (!hooks.has(event)) return;
      const limit = timeLimit(HOOKS_MS);
      const one = hooks
        .run(event, payload, { signal: limit.signal })
        .then(({ messages, reports }) => [...messages, ...reports].forEach(say))
        .catch(() => {}) // timed out
        .finally(() => {
          limit.clear();
          running.delete(one);
        });
      running.add(one);
    },
    async settled() {
      await Promise.all(running);
    },
  };
}
