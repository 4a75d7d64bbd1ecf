import { type Effort, efforts } from '../../contract/model.js';
import { messageOf } from '../../platform/message-of.js';
import type { CommandAnswer, CommandSession, TerminalCommand } from '../contract.js';
import { problem, text, words } from './answers.js';

const about: Readonly<Record<Effort, string>> = {
  none: 'answers at once, without thinking first',
  low: 'thinks briefly',
  medium: 'thinks about most tasks',
  high: 'thinks thoroughly',
  max: 'thinks as long as it may; slow and costly',
};

export const effort: TerminalCommand = {
  name: 'effort',
  aliases: ['thinking'],
  group: 'Model',
  description: 'show or change how much the model thinks',
  argumentHint: `[${efforts.join(' | ')} | default]`,
  echo: 'answered',
  complete: (typed) => words(typed, [...efforts, 'default']),

  async run(args, session) {
    const wanted = args.trim().toLowerCase();
    if (session.model === undefined) return problem('No model is set up. /model chooses one.');
    if (wanted !== '') return await use(wanted, session);
    const { current, accepted = efforts } = session.effort;
    if (accepted.length === 0) return text(`${session.model} can't think, so there is no effort to set.`);
    return {
      type: 'choose',
      title: `How much should ${session.model} think? /config effort sets it for later conversations`,
      items: [
        ...accepted.map((value) => ({ value, description: about[value], isCurrent: value === current })),
        { value: 'default', description: 'as recommended for the model', isCurrent: current === undefined },
      ],
      choose: async (value) => await use(value, session),
    };
  },
};

async function use(wanted: string, session: CommandSession): Promise<CommandAnswer> {
  const level = efforts.find((known) => known === wanted);
  if (level === undefined && wanted !== 'default') {
    return problem(`There is no effort "${wanted}". There are: ${efforts.join(', ')}, and default.`);
  }
  return await setEffort(level, session);
}

/** For the running conversation. */
export async function setEffort(level: Effort | undefined, session: CommandSession): Promise<CommandAnswer> {
  const { accepted } = session.effort;
  try {
    await session.effort.set(level);
  } catch (error) {
    return problem(messageOf(error));
  }
  const isAccepted = level === undefined || accepted === undefined || accepted.includes(level);
  return text(
    `The effort is ${level ?? 'the default of the model'}, from the next request on.`,
    ...(isAccepted
      ? []
      : [`${session.model} knows ${accepted.join(', ') || 'no effort'}, and gets the nearest of these.`]),
  );
}
