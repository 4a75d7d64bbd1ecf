import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryRepository } from '../../src/testing/git-repository.js';
import { converse } from './converse.js';
import { whyNoTmux } from './tmux.js';

const inTerminal = test.skipIf(whyNoTmux !== undefined);

inTerminal('leaving a worktree with changes asks whether to keep or merge it', async () => {
  const { root, git } = await temporaryRepository();
  const write = { name: 'Write', input: { file_path: 'new.txt', content: 'new\n' } };
  const args = ['--worktree', 'one', '--permission-mode', 'acceptEdits', '--trust'];
  const { terminal, say } = await converse([{ calls: [write] }, { text: 'It is written.' }], {
    args,
    folders: { project: root, home: await mkdtemp(join(tmpdir(), 'helve-home-')) },
  });
  await say('write it');
  await terminal.shows('It is written.');
  await say('/quit');
  await terminal.shows('The worktree one has 1 changed file: new.txt');
  await terminal.type('m');
  await terminal.press('Enter');
  await terminal.shows('was merged into');
  expect(await readFile(join(root, 'new.txt'), 'utf8')).toBe('new\n');
  expect(git('branch').trim()).toBe('* main');
});
