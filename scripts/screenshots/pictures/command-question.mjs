import { anthropicAt, call, used } from '../answers.mjs';
import { tally } from '../tally.mjs';

export const commandQuestion = {
  name: 'command-question',
  about: 'A question about a command, with the deciding part marked',
  columns: 110,
  rows: 36,
  project: tally,
  environment: anthropicAt,
  answers: [
    {
      text: 'The work is committed. I check the state once more, then push.',
      calls: [call('Bash', { command: 'git status --short && git log --oneline -3 && git push origin main' })],
      usage: used(7_940, 131),
    },
  ],
  async play({ say, shows }) {
    await say('helve');
    await shows('❯');
    await say('Push it.');
    await shows(/(?:choose|letter|for more|go on) · esc to stop/);
  },
};
