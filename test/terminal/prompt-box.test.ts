import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('a question mark in an empty prompt shows the keys until the next key', async () => {
  const { terminal, server, say } = await converse([{ text: 'Answered.' }]);
  await terminal.shows('? for shortcuts');
  await terminal.type('?');
  await terminal.shows(/shift\+tab\s+permission mode/);
  await terminal.press('Escape');
  await terminal.hides('permission mode');
  await terminal.type('?');
  await terminal.shows('permission mode');
  await say('why');
  await terminal.shows('Answered.');
  expect(JSON.stringify(server.requests[0]?.body.messages)).toContain('?why');
});

inTerminal('the box says what kind of line is typed, and in which mode', async () => {
  const { terminal } = await converse([], { env: { FORCE_COLOR: '1' } });
  await terminal.shows('? for shortcuts');
  const plain = border(await terminal.styledScreen());
  await terminal.type('!');
  await terminal.shows('shell · runs at once');
  const shell = border(await terminal.styledScreen());
  await terminal.press('BSpace');
  await terminal.type('#');
  await terminal.shows('note · saved');
  const note = border(await terminal.styledScreen());
  await terminal.press('BSpace');
  await terminal.press('BTab', 'BTab');
  await terminal.shows('◇ plan mode');
  const plan = border(await terminal.styledScreen());
  expect(new Set([plain, shell, note, plan]).size).toBe(4);
});

inTerminal('the name of the model survives in a narrow window', async () => {
  const { terminal } = await converse([], { columns: 60 });
  await terminal.press('BTab', 'BTab');
  await terminal.shows(/^claude-sonnet-5-5 · ◇ plan mode/m);
});

/** The colour of the line above the prompt. */
function border(styled: string): string {
  const line = styled.split('\n').find((one) => one.includes('────')) ?? '';
  return line.slice(0, line.indexOf('─'));
}
