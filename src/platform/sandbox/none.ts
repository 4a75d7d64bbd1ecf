import type { Sandbox } from './sandbox.js';

/** Runs commands unchanged. */
export function noSandbox(why: string): Sandbox {
  return {
    kind: 'none',
    why,
    async wrap({ program, args, cwd, env }) {
      return {
        program,
        args: [...args],
        cwd,
        env: { ...env },
        descriptors: [],
        notes: [],
        started: () => undefined,
        group: (child) => child,
        ended: async () => [],
      };
    },
  };
}
