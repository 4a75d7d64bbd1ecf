import { join } from 'node:path';
import { HookTranscript } from '../agent/hook-transcript.js';
import { observedHooks } from '../agent/observe/observe.js';
import type { Session } from '../agent/session.js';
import type { SessionPolicy } from '../agent/session-policy.js';
import type { Hooks } from '../contract/hook.js';
import { sessionHooks } from '../hooks/session-hooks.js';
import { sessionWriters } from '../platform/journal/session-changes.js';
import { toolTable } from '../tools/index.js';
import { withPluginHooks } from './plugin-parts.js';
import type { ResolvedOptions } from './resolve-options.js';

/** The hooks of a session: those of settings and plugins, and functions of the program. */
export function createHooks(session: Session, policy: SessionPolicy, resolved: ResolvedOptions): Hooks {
  const { options, dataFolder, root, visibleEnv, settings } = resolved;
  const transcript = new HookTranscript({
    file: join(dataFolder, 'sessions', session.id, 'transcript.jsonl'),
    sessionId: session.id,
    cwd: () => session.cwd,
    transcript: session.transcript,
  });
  const hooksOf = withPluginHooks(options.plugins ?? []);
  const hooks = sessionHooks(() => hooksOf(settings()), {
    // Scripts of hooks are those of the project, which a person trusts; in a worktree they may be missing or changed.
    root: options.worktree?.project ?? root,
    env: visibleEnv,
    sessionId: session.id,
    transcriptPath: transcript.file,
    beforeRun: () => {
      if (options.keepTranscript) transcript.update();
    },
    rewake: (text) => session.remind(text),
    situation: () => ({ cwd: session.cwd, mode: session.mode }),
    matchesRule: policy.matchesRule,
    tools: toolTable(),
    toolNames: () => session.tools.all.map(({ tool }) => tool.name),
    whileRunning: (kill) => session.whileRunning(kill),
    announceWriter: (name) => session.own(sessionWriters).begin({ name }),
    ...(options.hooks && { callbacks: options.hooks }),
  });
  return options.observers ? observedHooks(hooks, options.observers) : hooks;
}
