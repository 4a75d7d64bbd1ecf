import type { TerminalCommand } from '../contract.js';

export const quit: TerminalCommand = {
  name: 'quit',
  aliases: ['exit', 'q'],
  description: 'leave',
  run: async () => ({ type: 'quit' }),
};
