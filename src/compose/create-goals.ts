import { relative } from 'node:path';
import type { Budget } from '../agent/budget/budget.js';
import { goalComponent } from '../agent/components/goal.js';
import type { SessionWriter } from '../agent/components/session-writer.js';
import { GOAL_TURNS, GoalKeeper } from '../agent/goals/goal-keeper.js';
import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { Model } from '../contract/model.js';
import type { PermissionQuestion } from '../contract/permission.js';
import { isObject } from '../platform/is-object.js';
import { listChanges } from '../platform/journal/journal.js';
import { touchedBy } from '../platform/journal/recorded-change.js';
import { ownCallTools } from '../tools/index.js';
import type { Answers } from './answers.js';
import type { ToolCaller } from './call-tools.js';
import type { OpenModels } from './open-models.js';
import type { FullAgentOptions } from './options.js';

const CHECK_ID = 'goal_check';
const CHECK_MS = 600_000; // the longest that a command may take

/** Answers of the person about check commands: each is asked about once. */
export class CheckApprovals {
  readonly #checks = new Set<string>();
  readonly #approved = new Set<string>();

  /** The call with this id is a check. */
  add(callId: string): void {
    this.#checks.add(callId);
  }

  /** The same answers, where a check that was allowed is not asked about again while its effects are the same. */
  around({ askPermission, askUser }: Answers): Answers {
    if (!askPermission) return { askPermission, askUser };
    return {
      askUser,
      askPermission: async (question, signal) => {
        if (!this.#checks.has(question.callId)) return await askPermission(question, signal);
        const key = keyOf(question);
        if (this.#approved.has(key)) return { behavior: 'allow' };
        const answer = await askPermission(question, signal);
        if (answer.behavior === 'allow' && answer.updatedInput === undefined) this.#approved.add(key);
        return answer;
      },
    };
  }
}

/** Without the inodes of files, which change with their content. */
const keyOf = ({ tool, input, effects }: PermissionQuestion): string =>
  JSON.stringify([tool, input, effects], (name, value) => (name === 'identity' ? undefined : value));

export interface GoalDeps {
  session: Session;
  caller: ToolCaller;
  approvals: CheckApprovals;
  model: Model;
  models: OpenModels;
  budget: Budget;
  writer: SessionWriter | undefined;
}

export interface Goals {
  keeper: GoalKeeper;
  component: SessionComponent;
}

export function createGoals(deps: GoalDeps, options: FullAgentOptions): Goals {
  const { session, budget } = deps;
  const keeper = new GoalKeeper({
    runCheck: async (command, signal) => await runCheck(command, deps, signal),
    async judge(goal, signal) {
      const { judgeGoal } = await import('../agent/goals/judge-goal.js');
      return await judgeGoal(goal, session.transcript.messages, { model: judgeOf(deps), signal });
    },
    async changes() {
      const changes = await listChanges(session.dataFolder, session.id);
      const own = changes.filter(({ callId }) => !callId.startsWith(CHECK_ID)); // what checks write is no progress
      return own.flatMap(touchedBy).map((path) => relative(session.root, path));
    },
    onChange(goal) {
      session.goal = goal;
      deps.writer?.goalChanged();
    },
  });
  const restored = session.goal ?? undefined;
  if (restored) keeper.restore(restored);
  if (options.goal) keeper.set(options.goal);
  const component = goalComponent(keeper, {
    bound: (isActive) => budget.boundTurns(isActive && options.maxTurns === undefined ? GOAL_TURNS : undefined),
    remind: (text) => session.remind(text),
    isRestored: restored !== undefined && !options.goal,
  });
  return { keeper, component };
}

/** The small model, else the model of the conversation. */
const judgeOf = ({ models, session, model }: GoalDeps) =>
  models.side(session.used) ?? models.aside(model, session.used);

async function runCheck(command: string, { session, caller, approvals }: GoalDeps, signal: AbortSignal) {
  const id = session.claimCallId(CHECK_ID);
  approvals.add(id);
  let isAllowed = true;
  let exitCode: number | undefined;
  let problem = '';
  const [result] = await caller.call(
    [{ id, name: ownCallTools.shell, input: { command, timeout: CHECK_MS, description: 'Check of the goal' } }],
    {
      signal,
      onEvent(event) {
        if (event.type !== 'tool_result' || event.callId !== id) return;
        isAllowed = event.failure !== 'permission_denied';
        problem = event.problem ?? '';
        if (isObject(event.data) && typeof event.data['exitCode'] === 'number') exitCode = event.data['exitCode'];
      },
    },
  );
  signal.throwIfAborted();
  const content = typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content ?? '');
  exitCode ??= Number(/Exit code (\d+)/.exec(content)?.[1] ?? Number.NaN);
  return { isAllowed, exitCode, output: isAllowed ? content : problem || content };
}
