import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { lsTool } from './ls.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

test('shows each line after its number and a tab, whatever ends it', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\r\n\ttwo\rthree' });
  const { content, isError } = await project.run(readTool, { file_path: 'a.txt' });
  expect([content, isError]).toEqual(['1\tone\n2\t\ttwo\n3\tthree', false]);
});

test('takes "path" for the file and 0 for the first line', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  const { content } = await project.run(readTool, { path: 'a.txt', offset: 0, limit: 1 });
  expect(content).toBe('1\tone\n\n(PARTIAL view: lines 1–1 of 2. To continue, read with offset 2.)');
});

test('shows 2,000 lines and says where to go on', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 2_500) });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toMatch(
    /\n2000\tline 2000\n\n\(PARTIAL view: lines 1–2000 of 2500\. To continue, read with offset 2001\.\)$/,
  );
});

test('cuts a line over 2,000 characters and says so', async () => {
  const project = await temporaryProject({ 'a.txt': `${'x'.repeat(5_000)}\nshort\n` });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toContain(`1\t${'x'.repeat(2_000)} … [cut: the line has 5000 characters]\n2\tshort`);
  expect(content).toContain('(1 of these lines is longer than 2000 characters and was cut.)');
});

test('cuts two lines and says so of both', async () => {
  const project = await temporaryProject({ 'a.txt': `${'x'.repeat(5_000)}\n`.repeat(2) });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toContain('(2 of these lines are longer than 2000 characters and were cut.)');
});

test('stops at a line before its answer gets too long, and every page can be read', async () => {
  const project = await temporaryProject({ 'a.txt': `${'y'.repeat(1_500)}\n`.repeat(200) });
  let offset = 1;
  let seen = 0;
  for (let page = 0; page < 10 && offset <= 200; page += 1) {
    const { content } = await project.run(readTool, { file_path: 'a.txt', offset });
    expect(content.length).toBeLessThan(readTool.maxResultChars);
    const lines = String(content)
      .split('\n')
      .filter((line) => /^\d+\ty+$/.test(line));
    seen += lines.length;
    offset += lines.length;
  }
  expect(seen).toBe(200);
});

test('says that a file is empty, and that there is nothing behind its end', async () => {
  const project = await temporaryProject({ 'empty.txt': '', 'a.txt': 'one\n' });
  expect((await project.run(readTool, { file_path: 'empty.txt' })).content).toBe(
    '<system-reminder>empty.txt exists, but it is empty.</system-reminder>',
  );
  expect((await project.run(readTool, { file_path: 'a.txt', offset: 9 })).content).toBe(
    '<system-reminder>a.txt has 1 line, so there is nothing at offset 9.</system-reminder>',
  );
});

test('refuses a missing file with the directory and the name that may have been meant', async () => {
  const project = await temporaryProject({ 'src/config.ts': '' });
  expect(await project.run(readTool, { file_path: 'src/confg.ts' })).toMatchObject({
    content: `src/confg.ts does not exist (the working directory is ${project.root}). Did you mean src/config.ts?`,
    isError: true,
    failure: 'check_refused',
  });
});

test('refuses directories, pipes, binary files and unknown encodings, each by name', async () => {
  const project = await temporaryProject({
    'a.bin': Buffer.from([1, 0, 2]),
    'old.txt': Buffer.from('caf\xe9', 'latin1'),
  });
  await mkdir(project.path('dir'));
  execFileSync('mkfifo', [project.path('pipe')]);
  const words = async (file_path: string) => (await project.run(readTool, { file_path })).content;
  expect(await words('dir')).toBe('dir is a directory, not a file. Use LS to see what is in it.');
  expect(await words('pipe')).toMatch(/^pipe is a named pipe, not a file/);
  expect(await words('a.bin')).toMatch(/^a.bin is a binary file \(it holds NUL bytes\)/);
  expect(await words('old.txt')).toMatch(/^old.txt is in an encoding that can't be read without loss/);
});

test('says of links that lead in a circle what they are', async () => {
  const project = await temporaryProject();
  await symlink('b', project.path('a'));
  await symlink('a', project.path('b'));
  for (const [tool, input] of [
    [readTool, { file_path: 'a' }],
    [writeTool, { file_path: 'a', content: 'x' }],
    [editTool, { file_path: 'a', old_string: 'x', new_string: 'y' }],
    [lsTool, { path: 'a' }],
    [globTool, { pattern: '*', path: 'a' }],
    [grepTool, { pattern: 'x', path: 'a' }],
  ] as const) {
    expect(await project.run(tool, input)).toMatchObject({
      content:
        "a can't be reached: its symlinks lead in a circle, or there are too many of them. Look where they lead (ls -l in Bash), then use the path of the real file.",
      failure: 'check_refused',
    });
  }
});

test('says that a path is too long, and does not repeat all of it', async () => {
  const project = await temporaryProject();
  for (const file_path of ['x'.repeat(300), 'deep/'.repeat(1_000), 'y'.repeat(5_000)]) {
    for (const [tool, input] of [
      [readTool, { file_path }],
      [writeTool, { file_path, content: 'x' }],
      [lsTool, { path: file_path }],
      [grepTool, { pattern: 'x', path: file_path }],
    ] as const) {
      const run = await project.run(tool, input);
      expect([run.failure, run.content]).toEqual(['check_refused', expect.stringMatching(TOO_LONG)]);
      expect(run.content.length).toBeLessThan(500);
    }
  }
});

const TOO_LONG =
  /^[a-z/]+ … [a-z/]+ can't be reached: the path or a name in it is too long for the system \(\d+ bytes, the longest name \d+; the usual limits are 4096 and 255\)\. Use a shorter one\.$/;

test('cuts a long path of a file that is not there', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(readTool, { file_path: 'deep/'.repeat(300) });
  expect(content).toMatch(/^deep\/.* … .*deep does not exist/);
  expect(content.length).toBeLessThan(600);
});

test('reads UTF-16 by its mark', async () => {
  const project = await temporaryProject({ 'a.txt': Buffer.from('\ufeffπ\r\nq', 'utf16le') });
  expect((await project.run(readTool, { file_path: 'a.txt' })).content).toBe('1\tπ\n2\tq');
});

test('shows a picture, and refuses one that is too large with its size', async () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1');
  const project = await temporaryProject({ 'a.png': png, 'big.png': png });
  await truncate(project.path('big.png'), 4_000_000);
  expect((await project.run(readTool, { file_path: 'a.png' })).content).toEqual([
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
  ]);
  expect((await project.run(readTool, { file_path: 'big.png' })).content).toMatch(/an image of 4000000 bytes/);
});

test('remembers what was seen: ranges, and all once the ranges are the whole file', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 10) });
  const seen = () => project.engine.session.ledger.get(project.path('a.txt'))?.lines;
  await project.run(readTool, { file_path: 'a.txt', offset: 1, limit: 4 });
  expect(seen()).toEqual([[1, 4]]);
  await project.run(readTool, { file_path: 'a.txt', offset: 7 });
  expect(seen()).toEqual([
    [1, 4],
    [7, 10],
  ]);
  await project.run(readTool, { file_path: 'a.txt', offset: 5, limit: 2 });
  expect(seen()).toBe('all');
});

test('does not count a file with a cut line as seen whole', async () => {
  const project = await temporaryProject({ 'a.txt': 'x'.repeat(2_001) });
  await project.run(readTool, { file_path: 'a.txt' });
  expect(project.engine.session.ledger.get(project.path('a.txt'))?.lines).toEqual([[1, 1]]);
});

test('stops when the call is cancelled', async () => {
  const project = await temporaryProject({ 'a.txt': 'one' });
  const accepted = readTool.accept({ file_path: 'a.txt' });
  if (!accepted.ok) throw new Error('the input is fine');
  const controller = new AbortController();
  const running = accepted.call.run(project.engine.contextFor('call', controller.signal)).next();
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test('declares that it reads the file, and the directory when the path is relative', async () => {
  const project = await temporaryProject({ 'a.txt': 'one' });
  const file = { kind: 'file', access: 'read', path: project.path('a.txt'), real: project.path('a.txt') };
  expect(await project.effects(readTool, { file_path: 'a.txt' })).toEqual([
    expect.objectContaining(file),
    { kind: 'session', access: 'read', what: 'cwd' },
  ]);
  expect(await project.effects(readTool, { file_path: project.path('a.txt') })).toEqual([
    expect.objectContaining(file),
  ]);
});

test('refuses input that its schema does not know', async () => {
  const project = await temporaryProject();
  for (const input of [{}, { file_path: '' }, { file_path: 'a', lines: 2 }, { file_path: 'a', limit: 'all' }]) {
    expect((await project.run(readTool, input)).failure).toBe('invalid_input');
  }
});
