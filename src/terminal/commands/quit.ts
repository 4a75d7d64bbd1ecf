import type { TerminalCommand } from '../contract.js';

export const quit: TerminalCommand = {
  name: 'quit',
  aliases: ['exit', 'q'],
  group: 'Conversation',
  description: 'leave',
  run: async () => ({ type: 'quit' }),
};
