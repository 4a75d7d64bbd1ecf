// The state of a session beside its transcript, as clients show it: in the feed with each turn, and when one attaches.

import type { PermissionMode } from '../contract/permission.js';
import type { Todo } from '../contract/todo.js';
import type { HostedConversation } from './hosted-conversation.js';

export interface SessionFacts {
  mode: PermissionMode;
  /** "provider/name". */
  model: string;
  todos: readonly Todo[];
  /** US dollars, with what it had cost before it was resumed; null if that is not known. */
  costUsd: number | null;
  contextTokens: number;
  contextWindow: number;
  /** The name of its git worktree, if it works in one. */
  worktree?: string;
}

export function sessionFacts({ agent, model, spentUsd, worktree }: HostedConversation): SessionFacts {
  const { total, window } = agent.contextUsage();
  const { costUsd } = agent.session.used;
  return {
    mode: agent.mode,
    model: model.current,
    todos: agent.session.todos ?? [],
    costUsd: spentUsd === null || costUsd === null ? null : spentUsd + costUsd,
    contextTokens: Math.max(0, Math.round(total)),
    contextWindow: Math.max(0, Math.round(window)),
    ...(worktree && { worktree: worktree.name }),
  };
}
