import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const todos: TerminalCommand = {
  name: 'todos',
  group: 'Changes',
  description: 'show the to-do list',

  async run(_, { todos: items }) {
    if (!items || items.length === 0) return text('The to-do list is empty.');
    return { type: 'display', display: { title: 'To do', body: { type: 'todos', items } } };
  },
};
