import type { Hooks } from '../contract/hook.js';

/** For a session without hooks, so that it need not load what runs them. */
export const noHooks: Hooks = {
  has: () => false,
  run: async () => ({ answers: [], additionalContext: [], messages: [], reports: [] }),
  notices: () => [],
  end: async () => {},
};
