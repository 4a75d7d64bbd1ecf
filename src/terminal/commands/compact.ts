import type { TerminalCommand } from '../contract.js';
import { problem } from './answers.js';

export const compact: TerminalCommand = {
  name: 'compact',
  group: 'Conversation',
  description: 'summarise the conversation, to free context',
  argumentHint: '[what to keep]',
  needsRest: true,
  echo: 'before',

  async run(args, session) {
    const done = await session.compact(args.trim());
    // The result arrives as an event, and is shown as one.
    return done.type === 'refused' ? problem(`Nothing was changed: ${done.why}`) : { type: 'done' };
  },
};
