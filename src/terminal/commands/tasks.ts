import { shortTime } from '../../platform/text/short-amounts.js';
import type { CommandAnswer, CommandSession, RunningTask, TerminalCommand } from '../contract.js';
import { beginning, firstWord, problem, text } from './answers.js';

export const tasks: TerminalCommand = {
  name: 'tasks',
  aliases: ['bashes'],
  group: 'Changes',
  echo: 'answered',
  description: 'background tasks: look at one, or stop it',
  argumentHint: '[stop ID]',

  complete(typed, { tasks: running }) {
    const stops = running.flatMap(({ id, title, stop }) =>
      stop ? [{ value: `stop ${id}`, description: oneLine(title) }] : [],
    );
    return beginning(typed, /\s/.test(typed) ? stops : [{ value: 'stop' }, ...stops]);
  },

  async run(args, session) {
    const [verb, id] = firstWord(args);
    if (verb === '') return list(session);
    if (verb !== 'stop' || id === '') return problem('That is not understood. Use /tasks, or /tasks stop ID.');
    return await stop(id, session);
  },
};

/** After a look at one, the list is shown again. */
function list(session: CommandSession): CommandAnswer {
  if (session.tasks.length === 0) return text('Nothing runs in the background.');
  const items = () =>
    session.tasks
      .toSorted((one, other) => Number(!one.stop) - Number(!other.stop)) // what runs comes first
      .map((task) => ({ value: task.id, label: oneLine(task.title), description: stateOf(task) }));
  return {
    type: 'choose',
    title: 'Background tasks',
    items: items(),
    latest: items,
    cancel: 'close',
    verb: 'look',
    extra: { key: 'x', about: 'stop', run: async (id) => await stop(id, session) },
    async choose(id) {
      await session.tasks.find((task) => task.id === id)?.look();
      // It is gone if another conversation was begun meanwhile.
      return session.tasks.some((task) => task.id === id) ? list(session) : { type: 'done' };
    },
  };
}

async function stop(id: string, { tasks: all }: CommandSession): Promise<CommandAnswer> {
  const task = all.find((one) => one.id === id);
  if (!task) return problem(`There is no task "${id}". /tasks lists all tasks.`);
  if (!task.stop) return problem(`“${oneLine(task.title)}” has ended already: ${task.state}.`);
  await task.stop();
  return text(`“${oneLine(task.title)}” was stopped.`);
}

const stateOf = ({ state, milliseconds }: RunningTask): string =>
  milliseconds === undefined ? state : `${state} · ${shortTime(milliseconds)}`;

function oneLine(title: string): string {
  const line = title.trim().replaceAll(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
