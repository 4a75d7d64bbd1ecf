// What people are told about hooks. Small, since it is loaded whether a hook ever runs or not.
import { visible } from '../platform/text/visible.js';
import type { ConfiguredHook, HookDefinition } from './schema.js';

const MAX_NAME = 80;

/** What people know it by. */
export function nameOf(hook: HookDefinition): string {
  const name = hook.type === 'http' ? hook.url : [hook.command, ...(hook.args ?? [])].join(' ');
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

/** Nothing that came with a folder runs before a person trusts the folder. */
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
