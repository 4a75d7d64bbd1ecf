import { counted } from '../../platform/text/counted.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

export const copy: TerminalCommand = {
  name: 'copy',
  group: 'Conversation',
  description: 'copy the last answer to the clipboard',

  async run(_, session) {
    const answer = session.lastAnswer();
    if (answer === undefined) return problem('There is no answer yet to copy.');
    return text(`Copied the last answer, ${counted(answer.split('\n').length, 'line')}, ${await session.copy(answer)}`);
  },
};
