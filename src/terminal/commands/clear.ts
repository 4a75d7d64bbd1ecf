import type { TerminalCommand } from '../contract.js';
import { text } from './answers.js';

export const clear: TerminalCommand = {
  name: 'clear',
  aliases: ['new'],
  description: 'begin a new conversation',
  needsRest: true,

  async run(_, session) {
    const before = session.id;
    await session.clear();
    return text(`A new conversation. The one before is kept: /resume ${before.slice(0, 8)}`);
  },
};
