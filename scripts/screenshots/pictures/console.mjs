import { runTests, tally } from '../tally.mjs';

export const toolConsole = {
  name: 'tool-console',
  about: 'The tool console: real tools without any model',
  columns: 110,
  rows: 36,
  project: tally,
  answers: [],
  async play({ say, shows, type }) {
    await say('helve');
    await shows('No model is set up');
    await say("Grep discount --glob '*.ts'");
    await shows(/✓ Grep/);
    await say(`Bash ${runTests}`);
    await shows(/✗ Bash/);
    await type('Read --');
    await shows('--limit');
  },
};
