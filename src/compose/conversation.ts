// The parts that the conversations of root and child agents have in common.

import type { LateBudget } from '../agent/budget/late-budget.js';
import type { Commands } from '../agent/commands/commands.js';
import { budgetComponent } from '../agent/components/budget.js';
import { commandsComponent } from '../agent/components/commands.js';
import { conversationHooks } from '../agent/components/conversation-hooks.js';
import { loopGuard } from '../agent/components/loop-guard.js';
import type { SessionWriter } from '../agent/components/session-writer.js';
import { ConversationContext } from '../agent/context/conversation-context.js';
import type { Session } from '../agent/session.js';
import type { RunMoment, SessionComponent } from '../agent/session-component.js';
import type { ContextOptions } from '../contract/context.js';
import type { Hooks } from '../contract/hook.js';
import type { Model } from '../contract/model.js';

export interface ConversationParts {
  session: Session;
  model: Model;
  /** The system prompt. */
  system: string[];
  limits: ContextOptions;
  hooks: Hooks;
  watchers: readonly SessionComponent[];
  /** Absent if the conversation is not kept. */
  writer: SessionWriter | undefined;
  /** Applies changes of settings. */
  refresh(run: RunMoment): Promise<void>;
  childAgents: SessionComponent;
  /** The goal of the root. */
  goal?: SessionComponent | undefined;
  /** The budget of the root and its child agents. */
  budget: LateBudget;
  /** Observers, servers, instructions and others that only a root agent has. */
  ofRoot?: readonly SessionComponent[];
  commands?: { commands: Commands; onOver(): void } | undefined;
}

export interface ComposedConversation {
  context: ConversationContext;
  /** In the order in which they see events and prompts. */
  components: readonly SessionComponent[];
}

export function composeConversation(parts: ConversationParts): ComposedConversation {
  const { session, model, system, writer, commands } = parts;
  const hooks = conversationHooks({ hooks: parts.hooks, session, model: model.name });
  const components = [
    ...parts.watchers,
    writer,
    { name: 'settings', refresh: parts.refresh },
    ...(parts.ofRoot ?? []),
    parts.childAgents,
    parts.goal,
    hooks,
    commands && commandsComponent({ ...commands, onCommand: hooks.onCommand }),
    budgetComponent(parts.budget, { remind: (text) => session.remind(text), isRoot: parts.ofRoot !== undefined }),
    loopGuard(session),
  ].filter((component) => component !== undefined);
  return { context: new ConversationContext({ ...parts.limits, session, model, system, keeper: writer }), components };
}
