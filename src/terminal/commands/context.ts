import { grouped } from '../../platform/text/digits.js';
import type { TerminalCommand } from '../contract.js';
import { table, text } from './answers.js';

const WIDTH = 24;

export const context: TerminalCommand = {
  name: 'context',
  description: 'how full the context window is, and of what',

  async run(_, { context: used }) {
    if (!used) return text('There is no model, so there is no context to fill.');
    const { system, tools, messages, results, total, window, free } = used;
    const share = (tokens: number): number => (window > 0 ? tokens / window : 0);
    const row = (name: string, tokens: number): string[] => [
      name,
      bar(share(tokens)),
      grouped(tokens).padStart(9),
      `${(share(tokens) * 100).toFixed(1).padStart(5)} %`,
    ];
    const left = Math.max(window - total - free, 0);
    return text(
      `About ${grouped(total)} of ${grouped(window)} tokens`,
      ...table([
        row('instructions', system),
        row('tools', tools),
        row('conversation', messages),
        row('results of calls', results),
        row('free', free),
        row('kept for the answer', left),
      ]),
      'To make room: /compact, or /clear for a new conversation.',
    );
  },
};

function bar(share: number): string {
  const filled = Math.min(Math.max(Math.round(share * WIDTH), share > 0 ? 1 : 0), WIDTH);
  return '█'.repeat(filled) + '░'.repeat(WIDTH - filled);
}
