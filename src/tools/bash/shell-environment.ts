// The environment of a command: variables for it alone, and the script that is sourced before it.
import { resolve } from 'node:path';
import type { Effect } from '../../contract/effect.js';
import type { Confinement } from '../../contract/permission.js';
import { programName, protectiveVariables, runsProtected } from '../../platform/shell/git-environment.js';

/**
 * The environment for a call, by what was approved. A repository's configuration can name programs that git starts even
 * for reads: watchers, hooks, remote helpers. They were not approved, so they are disabled. Undefined if the call runs
 * programs that may use git themselves.
 */
export function environmentFor(
  approved: readonly Effect[] | undefined,
  {
    env = {},
    confinement = 'approved',
  }: { env?: Readonly<Record<string, string | undefined>>; confinement?: Confinement | undefined } = {},
): Readonly<Record<string, string>> | undefined {
  if (!approved) return undefined;
  const isApproved = confinement === 'approved' || confinement === 'sandbox';
  if (!isApproved) return protectiveVariables(env);
  if (approved.some(({ kind }) => kind === 'unknown' || kind === 'network')) return undefined;
  const commands = approved
    .filter((effect) => effect.kind === 'command')
    .map(({ harmless, argv, words }) => ({ harmless, program: programName(argv ?? words) }));
  return runsProtected(commands) ? protectiveVariables(env) : undefined;
}

/** The script that the user wants sourced before every command; undefined if no variable names one. */
export function environmentFile(env: Readonly<Record<string, string | undefined>>, root: string): string[] {
  const named = env['HELVE_ENV_FILE'] || env['CLAUDE_ENV_FILE'];
  return named ? [resolve(root, named)] : [];
}
