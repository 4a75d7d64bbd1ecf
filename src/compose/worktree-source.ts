import type { WorktreeSource } from '../agent/children/child-worktree.js';
import type { Settings } from '../settings/settings.js';
import type { ToolSession } from './tool-session.js';

const SET_UP_MS = 600_000; // an installation without a cache

/** What settings say about worktrees, for child agents. */
export function worktreeSource({ policy, resolved }: Pick<ToolSession, 'policy' | 'resolved'>): WorktreeSource {
  return {
    isTrusted: resolved.isTrusted,
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
