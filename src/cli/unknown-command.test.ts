import { expect, test } from 'vitest';
import { meantCommand } from './unknown-command.js';

const commands = ['call', 'config', 'mcp', 'models', 'tools', 'undo'];

test.each([
  [['tols'], 'There is no command "tols". Did you mean "helve tools"? To send it to the model, use helve -- tols'],
  [
    ['cofnig', 'list'],
    'There is no command "cofnig". Did you mean "helve config"? To send it to the model, use helve -- cofnig …',
  ],
  [['setup'], /^There is no command "setup"\. Keys come from the environment.* use helve -- setup$/],
  [['export'], /To export a conversation, use helve sessions export\./],
  [['hello'], undefined],
  [['tell', 'me', 'more'], undefined],
  [['update', 'the', 'docs'], undefined],
  [['unit', 'tests', 'for', 'this'], undefined],
  [['undoo this please'], undefined],
])('finds the command that %j resembles', (words, sentence) => {
  const meant = meantCommand(words, commands);
  if (sentence instanceof RegExp) expect(meant).toMatch(sentence);
  else expect(meant).toBe(sentence);
});
