import { expect, test } from 'vitest';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

const files = { 'CLAUDE.md': 'Always answer in verse.\n' };
const QUESTION = 'Follow the instructions of this folder?';
const AS_NOTES = 'has not agreed to follow the instructions of this project';

inTerminal('instructions of a folder are asked about once, and then followed', async () => {
  const first = await converse([{ text: 'A rose.' }], { files, shows: QUESTION });
  const { terminal } = first;
  await terminal.shows(/CLAUDE\.md[\s\S]*❯ n {2}Not now[\s\S]*enter to choose/);
  await terminal.press('y');
  await terminal.hides(QUESTION);
  await first.say('hello');
  await terminal.shows('A rose.');
  expect(first.server.requests[0]?.text).toContain('Always answer in verse.');
  expect(first.server.requests[0]?.text).not.toContain(AS_NOTES);
  await terminal.press('C-c', 'C-c');
  await terminal.exitCode();

  const { project, home } = terminal;
  const second = await converse([{ text: 'A tulip.' }], { folders: { project, home } });
  await second.say('hello again');
  await second.terminal.shows('A tulip.');
  expect(await second.terminal.scrollback()).not.toContain(QUESTION);
  expect(second.server.requests[0]?.text).not.toContain(AS_NOTES);
});

inTerminal('instructions can be read first; without a yes the screen says that they are notes', async () => {
  const { terminal, say, server } = await converse([{ text: 'A rose.' }], { files, shows: QUESTION });
  await terminal.shows('enter to choose');
  await terminal.press('Up');
  await terminal.shows(/❯ s/);
  await terminal.press('Enter');
  await terminal.shows(/Always answer in verse[\s\S]*esc to close/);
  await terminal.press('Escape');
  await terminal.shows(/❯ n {2}Not now[\s\S]*enter to choose/);
  await terminal.press('Enter');
  await terminal.shows(/The model gets CLAUDE\.md as notes only\./);
  await say('hello');
  await terminal.shows('A rose.');
  expect(server.requests[0]?.text).toContain(AS_NOTES);
});

inTerminal('files that instructions import are named and shown, from the start of the text', async () => {
  const long = Array.from({ length: 80 }, (_, index) => `Rule ${index}.`).join('\n');
  const { terminal } = await converse([{ text: 'A rose.' }], {
    files: { 'CLAUDE.md': `See @more.md\n${long}\n`, 'more.md': 'Never ask.\n' },
    shows: QUESTION,
  });
  expect(await terminal.shows('enter to choose')).toContain('CLAUDE.md, with more.md');
  await terminal.press('Up');
  await terminal.shows(/❯ s/);
  await terminal.press('Enter');
  expect(await terminal.shows('esc to close')).toContain('Rule 0.');
  await terminal.press('End');
  await terminal.shows(/more\.md \(imported by CLAUDE\.md\):\s+Never ask\./);
});
