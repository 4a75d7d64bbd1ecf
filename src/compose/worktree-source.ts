import type { WorktreeSource } from '../agent/children/child-worktree.js';
import type { Settings } from '../settings/settings.js';
import { withPluginHooks } from './plugin-parts.js';
import type { ToolSession } from './tool-session.js';
import { worktreeHooks } from './worktree-hooks.js';

const SET_UP_MS = 600_000; // an installation without a cache

/** What settings say about worktrees, for child agents. */
export function worktreeSource({
  policy,
  resolved,
  hooks,
  notices,
}: Pick<ToolSession, 'policy' | 'resolved' | 'hooks' | 'notices'>): WorktreeSource {
  const configured = withPluginHooks(resolved.options.plugins ?? []);
  // The hooks of a session include those that are not trusted, to report them.
  const makesWorktrees = (): boolean =>
    resolved.options.hooks?.WorktreeCreate !== undefined ||
    configured(resolved.settings()).some(({ event, trusted }) => trusted && event === 'WorktreeCreate');
  return {
    isTrusted: resolved.isTrusted,
    hooks: () => (makesWorktrees() ? worktreeHooks({ hooks, tell: notices.say }) : undefined),
    setUp: () => setUpOf(resolved.settings()),
    end: () => resolved.settings()?.worktree.end?.value ?? 'keep',
    add: (place) => policy.addWorktree(place, { isOpen: true }),
  };
}

/** The set-up command; a project's own applies only if the project is trusted. */
export function setUpOf(settings: Settings | undefined): { command: string; timeoutMs: number } | undefined {
  const { setup, setupTimeoutMs } = settings?.worktree ?? {};
  return setup && { command: setup.value, timeoutMs: setupTimeoutMs?.value ?? SET_UP_MS };
}
