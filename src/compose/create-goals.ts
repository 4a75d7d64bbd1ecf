import type { LateBudget } from '../agent/budget/late-budget.js';
import { goalComponent } from '../agent/components/goal.js';
import type { SessionWriter } from '../agent/components/session-writer.js';
import { GoalState } from '../agent/goals/goal-state.js';
import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { Model } from '../contract/model.js';
import type { PermissionQuestion } from '../contract/permission.js';
import { lazy } from '../platform/lazy.js';
import type { Answers } from './answers.js';
import type { ToolCaller } from './call-tools.js';
import type { OpenModels } from './open-models.js';
import type { FullAgentOptions } from './options.js';

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
  budget: LateBudget;
  writer: SessionWriter | undefined;
}

export interface Goals {
  state: GoalState;
  component: SessionComponent;
}

export function createGoals(deps: GoalDeps, options: FullAgentOptions): Goals {
  const { session, budget } = deps;
  const restored = session.goal ?? undefined;
  const state = new GoalState(restored, (goal) => {
    session.goal = goal;
    deps.writer?.goalChanged();
  });
  if (options.goal) state.set(options.goal);
  else state.isNews = restored !== undefined;
  const component = goalComponent(state, {
    keeper: lazy(async () => (await import('./goal-checks.js')).goalKeeper(state, deps)),
    bound: (turns) => budget.boundTurns(options.maxTurns === undefined ? turns : undefined),
    remind: (text) => session.remind(text),
  });
  return { state, component };
}
