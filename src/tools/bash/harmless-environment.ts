import type { Effect } from '../../contract/effect.js';
import type { Confinement } from '../../contract/permission.js';

/**
 * What a command that was judged harmless runs with. A repository may name programs in its own configuration that git
 * starts while it merely looks: watchers, hooks, pagers. They were not judged, so they are switched off.
 */
const harmlessEnvironment: Readonly<Record<string, string>> = {
  ...gitConfiguration({
    'core.fsmonitor': 'false',
    'core.hooksPath': '/dev/null',
    'safe.bareRepository': 'explicit',
    'log.showSignature': 'false',
  }),
  GIT_OPTIONAL_LOCKS: '0',
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
};

function gitConfiguration(settings: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(settings).flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(Object.keys(settings).length), ...Object.fromEntries(pairs) };
}

/** The variables for a call, by what it was approved for; none where it does more than look. */
export function environmentFor(
  approved: readonly Effect[] | undefined,
  confinement?: Confinement,
): Readonly<Record<string, string>> | undefined {
  if (!approved) return undefined;
  if (confinement !== undefined && confinement !== 'approved') return harmlessEnvironment;
  const isHarmless = approved.every(
    (effect) =>
      (effect.kind === 'command' && effect.harmless) ||
      (effect.kind === 'file' && effect.access === 'read') ||
      effect.kind === 'session',
  );
  return isHarmless ? harmlessEnvironment : undefined;
}
