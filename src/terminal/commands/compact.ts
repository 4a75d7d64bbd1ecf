import { grouped } from '../../platform/text/digits.js';
import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

export const compact: TerminalCommand = {
  name: 'compact',
  description: 'replace the conversation by a summary, to make room',
  argumentHint: '[what to keep]',
  needsRest: true,

  async run(args, session) {
    const done = await session.compact(args.trim());
    if (done.type === 'refused') return problem(`Nothing was changed: ${done.why}`);
    const why = done.listedBecause === undefined ? '' : ` The program made the summary: ${done.listedBecause}`;
    return text(`From about ${grouped(done.tokensBefore)} tokens to ${grouped(done.tokensAfter)}.${why}`);
  },
};
