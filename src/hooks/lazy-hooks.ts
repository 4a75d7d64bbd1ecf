import type { HookEvent, Hooks } from '../contract/hook.js';
import type { HooksOptions } from './run-hooks.js';
import type { ConfiguredHook } from './schema.js';

/** Hooks whose code is loaded with the first one that runs. What is configured may change in the course of a session. */
export function lazyHooks(
  configured: () => readonly ConfiguredHook[],
  options: Omit<HooksOptions, 'configured'>,
): Hooks {
  const { callbacks = {} } = options;
  let loaded: { from: readonly ConfiguredHook[]; hooks: Hooks } | undefined;
  const load = async (): Promise<Hooks> => {
    const { createHooks } = await import('./run-hooks.js');
    const from = configured();
    if (loaded?.from === from) return loaded.hooks;
    const before = loaded;
    loaded = { from, hooks: createHooks({ ...options, configured: from }) };
    await before?.hooks.end();
    return loaded.hooks;
  };
  const has = (event: HookEvent): boolean =>
    callbacks[event] !== undefined || configured().some((hook) => hook.event === event);

  return {
    has,
    run: async (event, payload, runOptions) => await (await load()).run(event, payload, runOptions),
    notices: () => loaded?.hooks.notices() ?? [],
    end: async () => await loaded?.hooks.end(),
  };
}
