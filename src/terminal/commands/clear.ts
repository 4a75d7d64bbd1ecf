import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const clear: TerminalCommand = {
  name: 'clear',
  aliases: ['new'],
  group: 'Conversation',
  description: 'begin a new conversation',
  needsRest: true,

  async run(_, session) {
    const before = session.id;
    await session.clear();
    return text(`New conversation. The earlier one is kept: /resume ${before.slice(0, 8)}`);
  },
};
