import { editSettings } from '../../settings/edit-file.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

export const theme: TerminalCommand = {
  name: 'theme',
  group: 'Settings',
  echo: 'answered',
  description: 'choose the colours',
  argumentHint: '[name]',
  complete: (typed, { themes }) => words(typed, themes.names),

  async run(args, session) {
    const { names, current } = session.themes;
    const wanted = args.trim();
    if (wanted !== '') return await use(wanted, session);
    return {
      type: 'choose',
      title: 'Which colours?',
      items: names.map((value) => ({ value, isCurrent: value === current })),
      choose: async (value) => await use(value, session),
    };
  },
};

async function use(name: string, { themes, root, env, home }: CommandSession): Promise<CommandAnswer> {
  if (!themes.names.includes(name))
    return problem(`There is no theme "${name}". There are: ${themes.names.join(', ')}.`);
  themes.use(name);
  await editSettings('user', { path: ['theme'], value: name }, { root, env, ...(home !== undefined && { home }) });
  return text(`The theme is ${name}.`);
}
