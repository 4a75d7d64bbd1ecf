// Descriptions of hooks for people. Small, since it is loaded even if no hook ever runs.
import { visible } from '../platform/text/visible.js';
import type { ConfiguredHook, HookDefinition } from './schema.js';

const MAX_NAME = 80;

/** The name of a hook for people. */
export function nameOf(hook: HookDefinition): string {
  const name = hook.type === 'http' ? hook.url : [hook.command, ...(hook.args ?? [])].join(' ');
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

/** Hooks of a folder don't run before the user trusts the folder. */
export function untrustedNotices(configured: readonly ConfiguredHook[]): string[] {
  const bySource = Map.groupBy(
    configured.filter(({ trusted }) => !trusted),
    ({ source }) => source,
  );
  return [...bySource].map(([source, hooks]) => {
    const names = [...new Set(hooks.map(({ hook }) => `"${nameOf(hook)}"`))].join(', ');
    const these = hooks.length === 1 ? 'A hook' : `${hooks.length} hooks`;
    return visible(
      `${these} from ${source} will not run, since this folder is not trusted: ${names}. Look at what they do, then trust the folder.`,
    );
  });
}
