import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const todos: TerminalCommand = {
  name: 'todos',
  description: 'what is to be done',

  async run(_, { todos: items }) {
    if (!items || items.length === 0) return text('Nothing is written down as to be done.');
    return { type: 'display', display: { title: 'To do', body: { type: 'todos', items } } };
  },
};
