import { anthropicAt } from '../answers.mjs';
import { tally } from '../tally.mjs';

export const start = {
  name: 'start',
  about: 'The first screen: version, folder, model, mode and three keys',
  columns: 110,
  rows: 30,
  project: tally,
  environment: anthropicAt,
  answers: [],
  async play({ say, shows }) {
    await say('helve');
    await shows('asks before');
  },
};
