import type { HookEvent, Hooks } from '../contract/hook.js';
import { shownLine } from '../platform/text/shown-line.js';
import { untrustedNotices } from './describe-hook.js';
import { oddMatcher } from './odd-matchers.js';
import type { HooksOptions } from './run-hooks.js';
import type { ConfiguredHook } from './schema.js';

/** The hooks of a session. Their code is loaded when the first one runs; the configuration may change during a session. */
export function sessionHooks(
  configured: () => readonly ConfiguredHook[],
  options: Omit<HooksOptions, 'configured'>,
): Hooks {
  const { callbacks = {} } = options;
  let loaded: { from: readonly ConfiguredHook[]; hooks: Hooks } | undefined;
  const all: Hooks[] = [];
  const load = async (): Promise<Hooks> => {
    const { createHooks } = await import('./run-hooks.js');
    const from = configured();
    if (loaded?.from === from) return loaded.hooks;
    loaded = { from, hooks: createHooks({ ...options, configured: from.filter(({ trusted }) => trusted) }) };
    all.push(loaded.hooks); // background hooks of the previous configuration keep running
    return loaded.hooks;
  };
  const has = (event: HookEvent): boolean =>
    callbacks[event] !== undefined || configured().some((hook) => hook.event === event);

  /** Keyed by content, since settings may be reloaded many times. */
  const told = new Set<string>();
  const notices = (): string[] => {
    const unheard = configured().filter(({ trusted, event, matcher, hook }) => {
      const content = JSON.stringify([event, matcher, hook]);
      if (trusted || told.has(content)) return false;
      told.add(content);
      return true;
    });
    return [...(unheard.length === 0 ? [] : untrustedNotices(unheard)), ...oddMatchers()];
  };

  const oddMatchers = (): string[] => {
    const { toolNames, tools } = options;
    if (!toolNames) return [];
    const ofProgram = Object.entries(callbacks).flatMap(([event, groups]) =>
      groups.map(({ matcher = '' }) => ({ event: event as HookEvent, matcher, source: 'the program' })),
    );
    const matchers = [...configured().filter(({ trusted }) => trusted), ...ofProgram];
    const names = matchers.length === 0 ? [] : toolNames();
    return matchers.flatMap(({ event, matcher, source }) => {
      const key = JSON.stringify([event, matcher, source]);
      if (matcher === '' || told.has(key)) return [];
      told.add(key);
      const odd = oddMatcher(event, matcher, { toolNames: names, tools });
      return odd === undefined ? [] : [shownLine(`A hook for ${event} (${source}) may never run: the matcher ${odd}`)];
    });
  };

  return {
    has,
    async run(event, payload, runOptions) {
      const hooks = await load();
      const untold = notices();
      const outcome = await hooks.run(event, payload, runOptions);
      return { ...outcome, reports: [...untold, ...outcome.reports] };
    },
    notices,
    async end() {
      await Promise.all(all.map((hooks) => hooks.end()));
    },
  };
}
