import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { TerminalCommand } from '../contract.js';
import { problem } from './answers.js';

const names = ['AGENTS.md', 'CLAUDE.md', 'HELVE.md'];

export const init: TerminalCommand = {
  name: 'init',
  group: 'Changes',
  echo: 'never',
  description: 'let the model write AGENTS.md',
  argumentHint: '[what to say]',

  async run(args, { root, model }) {
    if (model === undefined)
      return problem('No model is set up to write it. /model chooses one, /login signs in, /key stores a key.');
    const there = names.filter((name) => existsSync(join(root, name)));
    return {
      type: 'prompt',
      text: ['/init', args.trim()].join(' ').trim(),
      instructions: ['The user typed /init.', promptFor(there, args.trim())].join(' '),
    };
  },
};

function promptFor(there: readonly string[], wishes: string): string {
  const [first] = there;
  const task =
    first === undefined
      ? 'Write AGENTS.md in the root of this project: what an agent that works here must know and can not guess.'
      : `Improve ${first} in the root of this project. Keep what is right in it; it says what an agent that works here must know and can not guess.`;
  return [
    task,
    'Look first: the README, the files that name commands (package.json, Makefile, pyproject.toml, CI), the folders, the tests, and rules for other agents where there are any.',
    'It holds, in this order and only where there is something to say: how to build, test and lint, with the command for a single test; how the parts of the project fit together, which takes reading several files to see; rules of style that differ from what is usual; what is easily done wrong here.',
    'Be short and exact, at most about 60 lines. Do not list every file, repeat the README, or give advice that holds for any project. Write nothing that you have not seen.',
    ...(wishes === '' ? [] : [`The user also says: ${wishes}`]),
  ].join('\n');
}
