import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('a budget that is used up is asked about, and the work goes on with more', async () => {
  const think = {
    calls: [{ name: 'Think', input: { thought: 'x' } }],
    usage: { input_tokens: 1_200, output_tokens: 1 },
  };
  const { terminal, say, server } = await converse([think, { text: 'All is done.' }], {
    args: ['--settings', JSON.stringify({ budget: { session: { tokens: 1_000 } } })],
  });
  await say('begin');
  await terminal.shows('The budget of 1,000 tokens for this session is used up. Go on?');
  await terminal.shows('enter to choose'); // from here on, keys count
  await terminal.press('Enter');
  await terminal.shows('All is done.');
  expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain('Go on where you stopped.');
  await say('/cost');
  await terminal.shows(/Budget: [\d,]+ tokens of [\d,]+ tokens left for this session/);
});
