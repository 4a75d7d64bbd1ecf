// The variables that settings add to the environment.
import type { Environment, SourceKind } from './locations.js';
import type { Settings } from './settings.js';

// The data folder is known before settings are read, and must not change afterwards.
const SETTLED_BEFORE: readonly string[] = ['HELVE_HOME', 'CLAUDE_CONFIG_DIR', 'HOME', 'USERPROFILE'];

// Facts about the user's machine and keys, which no project may set, trusted or not.
const NOT_FROM_PROJECTS: readonly string[] = ['IS_SANDBOX', 'HELVE_PASS_ENV'];

/** Why settings can't set a variable, or undefined if they can. */
export function refusedVariable(name: string, value: unknown, kind: SourceKind): string | undefined {
  const upper = name.toUpperCase(); // on some systems names are the same in any case
  if (name === '' || /[=\0]/.test(name) || String(value).includes('\0')) return 'no variable can be like that';
  if (SETTLED_BEFORE.includes(upper)) return 'it is settled before settings are read';
  if ((kind === 'project' || kind === 'local') && NOT_FROM_PROJECTS.includes(upper)) return 'no project may set it';
  return undefined;
}

/** The environment with the variables of the settings, which take precedence. */
export function environmentWith({ env }: Pick<Settings, 'env'>, base: Environment): Environment {
  if (env.size === 0) return base;
  return { ...base, ...Object.fromEntries([...env].map(([name, { value }]) => [name, value])) };
}
