import type { Hooks } from '../contract/hook.js';
import { sessionHooks } from '../hooks/session-hooks.js';
import { messageOf } from '../platform/message-of.js';
import type { WorktreeHooks } from '../platform/worktrees/hooked-worktree.js';
import { WorktreeProblem } from '../platform/worktrees/worktree-problem.js';
import type { LoadedPlugin } from '../plugins/loaded-plugin.js';
import type { Settings } from '../settings/settings.js';
import { toolTable } from '../tools/index.js';
import { withPluginHooks } from './plugin-parts.js';

export interface WorktreeHooksOptions {
  hooks: Hooks;
  /** Shows a sentence to a person: what a hook says, and how it failed. */
  tell(sentence: string): void;
}

/** Undefined if no trusted hook makes worktrees. */
export function worktreeHooks({ hooks, tell }: WorktreeHooksOptions): WorktreeHooks | undefined {
  if (!hooks.has('WorktreeCreate')) return undefined;
  return {
    async create(name, signal = new AbortController().signal) {
      const made = await hooks.run('WorktreeCreate', { name }, { signal });
      for (const sentence of made.messages) tell(sentence);
      const refusal = made.stop?.reason ?? made.block?.reason;
      if (refusal === undefined && made.worktreePath !== undefined) {
        for (const sentence of made.reports) tell(sentence);
        return made.worktreePath;
      }
      const why = [refusal ?? 'it named no folder: its last line must be the path', ...made.reports].join(' ');
      throw new WorktreeProblem(
        `The WorktreeCreate hook made no worktree "${name}": ${why}. Correct the hook, or leave the worktree out.`,
      );
    },
    async remove(folder) {
      if (!hooks.has('WorktreeRemove')) return;
      try {
        const { signal } = new AbortController(); // each hook has a time limit
        const { messages, reports } = await hooks.run('WorktreeRemove', { worktree_path: folder }, { signal });
        for (const sentence of [...messages, ...reports]) tell(sentence);
      } catch (error) {
        tell(`The WorktreeRemove hook failed: ${messageOf(error)}`);
      }
    },
  };
}

/** The hooks of settings and plugins that are trusted, before there is a session. */
export function hooksBeforeSession(
  settings: Settings,
  {
    root,
    env,
    plugins = [],
  }: { root: string; env: Readonly<Record<string, string | undefined>>; plugins?: readonly LoadedPlugin[] },
): Hooks {
  const trusted = withPluginHooks(plugins)(settings).filter((hook) => hook.trusted);
  return sessionHooks(() => trusted, {
    ...{ root, env, sessionId: '', transcriptPath: '', tools: toolTable() },
    situation: () => ({ cwd: root, mode: 'default' }),
  });
}
