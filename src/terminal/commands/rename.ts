import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

const MAX_CHARS = 80;

export const rename: TerminalCommand = {
  name: 'rename',
  group: 'Conversation',
  description: 'give the conversation another name',
  argumentHint: '[name]',
  echo: 'answered',

  async run(args, session) {
    if (args.trim() !== '') return use(args, session);
    const now = await session.title();
    return {
      type: 'ask',
      title: `A new name for this conversation${now === '' ? '' : ` (now: ${now})`}`,
      verb: 'rename',
      answer: async (typed) => use(typed, session),
    };
  },
};

function use(typed: string, session: CommandSession): CommandAnswer {
  const title = typed.trim().replaceAll(/\s+/g, ' ').slice(0, MAX_CHARS);
  if (title === '') return problem('The name is empty, so nothing was changed.');
  if (!session.rename(title)) return problem('This conversation is not saved, so it has no name.');
  return text(`The conversation is now named "${title}".`);
}
