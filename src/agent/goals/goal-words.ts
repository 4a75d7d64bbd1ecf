// What the model and the person are told about a goal.
import type { Goal, GoalCheck } from '../../contract/goal.js';
import { listSome } from '../../platform/text/counted.js';
import type { StoredGoal } from './goal-state.js';

const MAX_NAMED = 5; // files

const shortGoal = ({ text }: Goal): string => (text.length > 120 ? `${text.slice(0, 119)}…` : text);

/** For the model, with the prompt. */
export function goalReminder({ text, until }: Goal): string {
  const check =
    until === undefined
      ? 'Each time you end, another model that sees only this conversation judges whether the goal is met. So show by commands and files that it is.'
      : `Each time you end, the command \`${until}\` is run. The goal is met when it exits with 0. Do not change the command, or what it runs, only to make it pass.`;
  return `The person has set a goal: ${text}\n${check} If the goal is not met, you go on. If it can't be met, say why; do not pretend.`;
}

/** For the model, when it wanted to end. */
export function notMetWords({ goal, evidence, round }: GoalCheck): string {
  const what =
    goal.until === undefined ? 'The judge says' : `\`${goal.until}\` did not exit with 0. Its output ends with`;
  return `[The goal is not met yet (check ${round}). ${what}:\n${evidence}\nGo on with the work: ${goal.text}]`;
}

/** For the person. */
export function checkNotice({ goal, isMet, round, evidence, changed }: GoalCheck): string {
  const files = changed.length === 0 ? 'no file changed' : `changed: ${listSome(changed, MAX_NAMED)}`;
  const last = evidence.trim().split('\n').at(-1) ?? '';
  const why = goal.until === undefined ? evidence.replaceAll('\n', ' ') : `${goal.until}: ${last}`;
  return `${isMet ? 'The goal is met' : 'The goal is not met yet'} (check ${round}, ${files}). ${why}`.trim();
}

export const stalledWords = ({ goal, evidence }: GoalCheck, rounds: number): string =>
  `The goal is not met, and ${rounds} rounds in a row have changed nothing about that: no file changed, and the check said the same. Goal: ${shortGoal(goal)}. Last check: ${evidence.trim()} Say what is missing and go on with a prompt.`;

export const pausedNotice = (goal: Goal): string =>
  `The goal "${shortGoal(goal)}" is paused. /goal resume goes on with it, /goal clear drops it.`;

/** When a conversation is opened again, before the next prompt. */
export const openedNotice = (goal: StoredGoal): string =>
  goal.isPaused
    ? pausedNotice(goal)
    : `The goal "${shortGoal(goal)}" is still set: the next prompt goes on with it, /goal clear drops it.`;

export const stillSetNotice = (goal: Goal): string => `This session still has a goal: ${shortGoal(goal)}`;
