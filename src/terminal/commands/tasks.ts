import { table } from '../../platform/text/table.js';
import type { TerminalCommand } from '../contract.js';
import { firstWord, fitted, problem, text, words } from './answers.js';

export const tasks: TerminalCommand = {
  name: 'tasks',
  aliases: ['bashes'],
  group: 'Changes',
  description: 'list background tasks, or stop one',
  argumentHint: '[stop ID]',

  complete(typed, { tasks: running }) {
    const ids = running.filter(({ stop }) => stop).map(({ id }) => `stop ${id}`);
    return words(typed, /\s/.test(typed) ? ids : ['stop', ...ids]);
  },

  async run(args, session) {
    const [verb, id] = firstWord(args);
    if (verb === '') {
      if (session.tasks.length === 0) return text('Nothing runs in the background.');
      return fitted(table(session.tasks.map(({ id: own, state, title }) => [own, state, oneLine(title)])), {
        last: ['To stop one: /tasks stop ID'],
      });
    }
    if (verb !== 'stop' || id === '') return problem('That is not understood. Use /tasks, or /tasks stop ID.');
    const task = session.tasks.find((one) => one.id === id);
    if (!task) return problem(`There is no task "${id}". /tasks lists all tasks.`);
    if (!task.stop) return problem(`${id} has ended already: ${task.state}.`);
    await task.stop();
    return text(`${id} was stopped.`);
  },
};

function oneLine(title: string): string {
  const line = title.trim().replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
