// How goals are checked: loaded with the first prompt that has one.
import { relative } from 'node:path';
import { GoalKeeper } from '../agent/goals/goal-keeper.js';
import type { GoalState } from '../agent/goals/goal-state.js';
import { judgeGoal } from '../agent/goals/judge-goal.js';
import { isObject } from '../platform/is-object.js';
import { listChanges } from '../platform/journal/journal.js';
import { touchedBy } from '../platform/journal/recorded-change.js';
import { ownCallTools } from '../tools/index.js';
import type { GoalDeps } from './create-goals.js';

const CHECK_ID = 'goal_check';
const CHECK_MS = 600_000; // the longest that a command may take

export const goalKeeper = (state: GoalState, deps: GoalDeps): GoalKeeper =>
  new GoalKeeper(state, {
    runCheck: async (command, signal) => await runCheck(command, deps, signal),
    judge: async (goal, signal) =>
      await judgeGoal(goal, deps.session.transcript.messages, { model: judgeOf(deps), signal }),
    async changes() {
      const { session } = deps;
      const changes = await listChanges(session.dataFolder, session.id);
      const own = changes.filter(({ callId }) => !callId.startsWith(CHECK_ID)); // what checks write is no progress
      return own.flatMap(touchedBy).map((path) => relative(session.root, path));
    },
  });

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
  // Only the beginning is Helve's: what the command has printed follows, also if it was stopped. A failed call never has 0.
  if (result?.is_error) exitCode = Number(/^(?:Error: )?Exit code ([1-9]\d*)\b/.exec(content)?.[1] ?? Number.NaN);
  return { isAllowed, exitCode, output: isAllowed ? content : problem || content };
}
