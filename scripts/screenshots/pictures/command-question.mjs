import { anthropicAt, call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

export const commandQuestion = {
  name: 'command-question',
  about: 'A question about a command, with the part marked that decided',
  columns: 100,
  rows: 36,
  project: tally,
  environment: anthropicAt,
  answers: [
    {
      text: 'The work is committed. I look once more at what would go out, and push it.',
      calls: [call('Bash', { command: 'git status --short && git log --oneline -3 && git push origin main' })],
      usage: used(7_940, 131),
    },
  ],
  async play({ say, shows }) {
    await say('helve');
    await shows('/help for help');
    await say('Push it.');
    await shows('esc for no');
  },
};
