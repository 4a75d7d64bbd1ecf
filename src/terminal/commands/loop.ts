import type { TerminalCommand } from '../contract.js';
import { problem, text } from './answers.js';

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const LEAST_MS = 10_000;
const MOST_MS = 24 * 3_600_000; // a schedule is meant for what is rarer

const USAGE =
  '/loop 10m PROMPT sends the prompt now and every 10 minutes, while this conversation is open. /loop stop ends it.';

export const loop: TerminalCommand = {
  name: 'loop',
  group: 'Conversation',
  description: 'repeat a prompt at an interval',
  argumentHint: '[30s, 10m or 2h] [prompt] | stop',

  async run(args, session) {
    const typed = args.trim();
    if (typed === '')
      return text(
        session.loop.described === undefined ? `Nothing is repeated. ${USAGE}` : `Repeated ${session.loop.described}`,
      );
    if (typed === 'stop')
      return text(session.loop.stop() ? 'The prompt is not repeated any more.' : 'Nothing was repeated.');
    const [, number, unit = '', prompt = ''] = /^(\d{1,5})\s*([smh])\s+(.+)$/s.exec(typed) ?? [];
    const everyMs = Number(number) * (unitMs[unit] ?? Number.NaN);
    if (Number.isNaN(everyMs)) return problem(USAGE);
    if (everyMs < LEAST_MS || everyMs > MOST_MS)
      return problem(
        'The interval must be from 10s to 24h. helve schedule repeats prompts at times of the day or the week.',
      );
    if (session.model === undefined) return problem('There is no model that could answer. /model chooses one.');
    session.loop.start(prompt.trim(), everyMs);
    return { type: 'prompt', text: prompt.trim(), shown: `/loop ${typed}` };
  },
};
