import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const context: TerminalCommand = {
  name: 'context',
  description: 'show what fills the context window',

  async run(_, { context: used }) {
    if (!used) return text('There is no model, so there is no context to fill.');
    return { type: 'context', context: used };
  },
};
