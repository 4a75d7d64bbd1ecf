import type { TerminalCommand } from '../contract.js';
import { problem } from './answers.js';

export const review: TerminalCommand = {
  name: 'review',
  group: 'Changes',
  description: 'ask the model to review the current changes',
  argumentHint: '[what to look at]',
  echo: 'never',
  yields: true,

  async run(args, { model }) {
    if (model === undefined)
      return problem('No model is set up to review. /model chooses one, /login signs in, /key stores a key.');
    const wishes = args.trim();
    return { type: 'prompt', text: ['/review', wishes].join(' ').trim(), instructions: instructionsFor(wishes) };
  },
};

function instructionsFor(wishes: string): string {
  return [
    wishes === ''
      ? 'The user typed /review: review the current changes of this project, and change nothing.'
      : `The user typed /review and says what to look at: ${wishes}. Review it, and change nothing.`,
    'Find out what changed: git status and git diff HEAD, or, on a branch without uncommitted changes, the commits since the main branch. Read enough of the surrounding code to judge each change.',
    'Look for mistakes first: wrong behaviour, missed cases, security, races, broken callers, missing or weak tests. Then for what is needlessly complicated. Leave out matters of taste, and praise.',
    'Answer with findings, the most serious first: file and line, what happens and when, and a fix in a sentence. Verify each before you name it. If there is nothing, say so in one sentence.',
  ].join('\n');
}
