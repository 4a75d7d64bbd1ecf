import { messageOf } from '../../platform/message-of.js';
import { editSettings } from '../../settings/edit-file.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { beginning, problem, text } from './answers.js';

export const model: TerminalCommand = {
  name: 'model',
  group: 'Model',
  echo: 'answered',
  description: 'choose the model',
  argumentHint: '[provider/name]',
  complete: async (typed, session) => beginning(typed, await session.models()),

  async run(args, session) {
    if (args.trim() !== '') return await use(args.trim(), session);
    const items = await session.models();
    if (items.length === 0) return problem('No model is set up. /key stores a key; /doctor says what was looked for.');
    const isCurrent = (value: string): boolean => value === session.model;
    return {
      type: 'choose',
      title: 'Which model?',
      items: items.map((item) => ({ ...item, isCurrent: isCurrent(item.value) })),
      choose: async (value) => await use(value, session),
    };
  },
};

async function use(name: string, session: CommandSession): Promise<CommandAnswer> {
  const isFirst = session.model === undefined;
  try {
    const chosen = await session.chooseModel(name);
    return text(`The model is ${chosen}.`, ...(isFirst ? [await keep(chosen, session)] : []));
  } catch (error) {
    return problem(messageOf(error));
  }
}

/** Saves the first model that the user chooses as their default. */
async function keep(chosen: string, { root, env, home }: CommandSession): Promise<string> {
  await editSettings('user', { path: ['model'], value: chosen }, { root, env, ...(home !== undefined && { home }) });
  return 'It is now your default. To change that: /config model, or --model for one run.';
}
