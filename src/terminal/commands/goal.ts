import type { StoredGoal } from '../../agent/goals/goal-state.js';
import { checkNotice } from '../../agent/goals/goal-words.js';
import type { GoalPort, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

const USAGE =
  '/goal TEXT sets one: the work goes on until a model finds it met. /goal TEXT --until COMMAND goes on until the command exits with 0.';

export const goal: TerminalCommand = {
  name: 'goal',
  group: 'Conversation',
  description: 'go on until a goal is met',
  argumentHint: '[what has to be true] [--until COMMAND] | resume | clear',
  needsRest: true,

  async run(args, { goals }) {
    if (!goals) return problem('There is no model, so there is nothing that could work on a goal. /model chooses one.');
    const { stored } = goals;
    const typed = args.trim();
    if (typed === '') return text(stored ? statusOf(stored, goals) : `There is no goal. ${USAGE}`);
    if (typed === 'clear' || typed === 'stop') {
      goals.set(undefined);
      return text(stored ? 'The goal is dropped.' : 'There was no goal.');
    }
    if (typed === 'resume') {
      if (!stored) return problem(`There is no goal to go on with. ${USAGE}`);
      goals.resume();
      return { type: 'prompt', text: `Go on with the goal: ${stored.text}` };
    }
    const read = readGoal(typed);
    if (!read) return problem(USAGE);
    goals.set(read);
    return { type: 'prompt', text: read.text, shown: `/goal ${typed}` };
  },
};

const UNTIL = ' --until ';

/** Everything after the first ` --until ` is the command. */
function readGoal(typed: string): { text: string; until?: string } | undefined {
  const padded = ` ${typed} `;
  const at = padded.indexOf(UNTIL);
  if (at < 0) return { text: typed };
  const words = padded.slice(0, at).trim();
  const until = padded.slice(at + UNTIL.length).trim();
  return until === '' ? undefined : { text: words === '' ? `Make this command succeed: ${until}` : words, until };
}

export const goalWords = ({ text: words, until, isPaused }: StoredGoal): string =>
  `${words}${until === undefined ? '' : `, until ${until} exits with 0`}${isPaused ? ' (paused: /goal resume goes on)' : ''}`;

function statusOf(stored: StoredGoal, { last }: GoalPort): string {
  const checked = last ? checkNotice(last) : 'It was not checked yet.';
  return [`Goal: ${goalWords(stored)}`, checked, '/goal clear drops it.'].join('\n');
}
