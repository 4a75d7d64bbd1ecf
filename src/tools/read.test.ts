import { execFileSync } from 'node:child_process';
import { mkdir, symlink, truncate, utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { editTool } from './edit.js';
import { globTool } from './glob.js';
import { grepTool } from './grep.js';
import { lsTool } from './ls.js';
import { readTool } from './read.js';
import { createShownPages } from './reading/shown-pages.js';
import { writeTool } from './write.js';

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `line ${from + index}\n`).join('');

test('shows each line after its number and a tab, for any line ending', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\r\n\ttwo\rthree' });
  const { content, isError } = await project.run(readTool, { file_path: 'a.txt' });
  expect([content, isError]).toEqual(['1\tone\n2\t\ttwo\n3\tthree\n\n(Indented with tabs.)', false]);
});

test('accepts "path" for the file and 0 for the first line', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  const { content } = await project.run(readTool, { path: 'a.txt', offset: 0, limit: 1 });
  expect(content).toBe('1\tone\n\n(PARTIAL view: lines 1–1 of 2. To continue, read with offset 2.)');
});

test('shows 2,000 lines and says where to continue', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 2_500) });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toMatch(
    /\n2000\tline 2000\n\n\(PARTIAL view: lines 1–2000 of 2500\. To continue, read with offset 2001\.\)$/,
  );
});

test('truncates a line over 2,000 characters and says so', async () => {
  const project = await temporaryProject({ 'a.txt': `${'x'.repeat(5_000)}\nshort\n` });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toContain(`1\t${'x'.repeat(2_000)} … [cut: the line has 5000 characters]\n2\tshort`);
  expect(content).toContain(
    '(1 of these lines is longer than 2000 characters and was cut. To see more of line 1, use Bash: sed -n 1p a.txt | cut -c 2001-4000.)',
  );
});

test('truncates two lines and names both', async () => {
  const project = await temporaryProject({ 'a.txt': `${'x'.repeat(5_000)}\n`.repeat(2) });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toContain('(2 of these lines are longer than 2000 characters and were cut. To see more of line 1');
});

test('stops at a line before the result gets too long, and every page can be read', async () => {
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

test('says that a file is empty, or that an offset is beyond its end', async () => {
  const project = await temporaryProject({ 'empty.txt': '', 'a.txt': 'one\n' });
  expect((await project.run(readTool, { file_path: 'empty.txt' })).content).toBe(
    '<system-reminder>empty.txt exists, but it is empty.</system-reminder>',
  );
  expect((await project.run(readTool, { file_path: 'a.txt', offset: 9 })).content).toBe(
    '<system-reminder>a.txt has 1 line, so there is nothing at offset 9.</system-reminder>',
  );
});

test('refuses a missing file with the directory and a similar name', async () => {
  const project = await temporaryProject({ 'src/config.ts': '' });
  expect(await project.run(readTool, { file_path: 'src/confg.ts' })).toMatchObject({
    content: `src/confg.ts does not exist (the working directory is ${project.root}). Did you mean src/config.ts?`,
    isError: true,
    failure: 'check_refused',
  });
});

test('refuses directories, pipes, binary files and unknown encodings, each with its own message', async () => {
  const project = await temporaryProject({
    'a.bin': Buffer.from([1, 0, 2]),
    'old.txt': '\x1b$B$3$s\x1b(B\n',
  });
  await mkdir(project.path('dir'));
  execFileSync('mkfifo', [project.path('pipe')]);
  const words = async (file_path: string) => (await project.run(readTool, { file_path })).content;
  expect(await words('dir')).toBe('dir is a directory, not a file. Use LS to see what is in it.');
  expect(await words('pipe')).toMatch(/^pipe is a named pipe, not a file/);
  expect(await words('a.bin')).toMatch(/^a.bin is a binary file \(it holds NUL bytes\)/);
  expect(await words('old.txt')).toMatch(/^old.txt is in an encoding that can't be read without loss/);
});

test('reports circular links', async () => {
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

test('shortens a long path of a missing file', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(readTool, { file_path: 'deep/'.repeat(300) });
  expect(content).toMatch(/^deep\/.* … .*deep does not exist/);
  expect(content.length).toBeLessThan(600);
});

test('reads UTF-16 with a byte order mark', async () => {
  const project = await temporaryProject({ 'a.txt': Buffer.from('\ufeffπ\r\nq', 'utf16le') });
  expect((await project.run(readTool, { file_path: 'a.txt' })).content).toBe(
    '1\tπ\n2\tq\n\n(The file is in UTF-16 LE with a byte order mark; edits keep that.)',
  );
});

test('records which ranges were seen, and the whole file once the ranges cover it', async () => {
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

test('a truncated line counts as seen', async () => {
  const project = await temporaryProject({ 'a.txt': 'x'.repeat(2_001) });
  await project.run(readTool, { file_path: 'a.txt' });
  expect(project.engine.session.ledger.get(project.path('a.txt'))?.lines).toBe('all');
});

test('names an encoding that it had to guess, and says that it is a guess', async () => {
  const text = 'Le café était déjà fermé à Besançon : « où êtes-vous allés ? »\n'.repeat(20);
  const project = await temporaryProject({ 'old.txt': Buffer.from(text, 'latin1') });
  const { content } = await project.run(readTool, { file_path: 'old.txt' });
  expect(content).toMatch(
    /^1\tLe café était déjà fermé.*\n\n\(The file is in \S.+ \(a guess by how it reads\); edits keep that\.\)$/s,
  );
});

test('names the target of a link that it followed', async () => {
  const project = await temporaryProject({ 'real.txt': 'one\n' });
  await symlink('real.txt', project.path('link.txt'));
  expect((await project.run(readTool, { file_path: 'link.txt' })).content).toBe(
    '1\tone\n\n(This is link.txt (a link to real.txt).)',
  );
});

test('reports the indentation if some lines start with tabs', async () => {
  const project = await temporaryProject({
    'tabs.go': 'a {\n\tb\n\t/*\n\t * c\n\t */\n}\n',
    'mixed.py': 'if a:\n\tb\nif c:\n    d\n  \te\n',
    'blanks.ts': 'a {\n  b\tc\n}\n',
  });
  const words = async (file_path: string) => (await project.run(readTool, { file_path })).content;
  expect(await words('tabs.go')).toMatch(/\n2\t\tb\n.*\n\n\(Indented with tabs\.\)$/s);
  expect(await words('mixed.py')).toMatch(
    /\n\n\(Indentation is mixed: 2 lines begin with tabs, 1 line with blanks\.\)$/,
  );
  expect(await words('blanks.ts')).toBe('1\ta {\n2\t  b\tc\n3\t}');
});

test('estimates more tokens for characters of other scripts than for Western ones', async () => {
  const project = await temporaryProject({ 'a.txt': `${'文'.repeat(99)}\n`.repeat(1_000) });
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toMatch(/\(PARTIAL view: lines 1–2\d\d of 1000\. To continue, read with offset 2\d\d\.\)$/);
});

test('answers briefly if the same page of the same content is requested again, and shows it on the next request', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 300), 'small.txt': numbered(1, 3) });
  const words = async (input: object) => (await project.run(readTool, { file_path: 'a.txt', ...input })).content;
  const page = await words({});
  expect(page).toMatch(/^1\tline 1\n/);
  expect(await words({})).toMatch(
    /^<system-reminder>a.txt is unchanged since you read lines 1–300 of it \(at \d\d:\d\d:\d\d\), so what was shown then still holds\. If you can't see it any more, send the same call again\.<\/system-reminder>$/,
  );
  expect(await words({})).toBe(page);
  expect(await words({ offset: 2 })).toMatch(/^2\tline 2\n/);
  expect(await words({ file_path: 'small.txt' })).toBe(await words({ file_path: 'small.txt' }));
});

test('shows a page again after the file has changed, but not because of a new modification time', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 300) });
  const words = async () => (await project.run(readTool, { file_path: 'a.txt' })).content;
  await words();
  await utimes(project.path('a.txt'), new Date(0), new Date(0));
  expect(await words()).toContain('is unchanged since');
  await words();
  await project.write('a.txt', numbered(1, 301));
  expect(await words()).toMatch(/\n301\tline 301$/);
});

test('shows a page again after it was dropped from the conversation', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 300) });
  const page = (await project.run(readTool, { file_path: 'a.txt' })).content;
  project.engine.session.own(createShownPages).forget();
  expect((await project.run(readTool, { file_path: 'a.txt' })).content).toBe(page);
});

test('pages shown in one session do not affect another', async () => {
  const [one, other] = [await temporaryProject(), await temporaryProject()];
  await one.write('a.txt', numbered(1, 300));
  const page = (await one.run(readTool, { file_path: one.path('a.txt') })).content;
  const seen = await other.run(readTool, { file_path: one.path('a.txt') });
  expect([seen.isError, seen.content]).toEqual([false, page]);
});

test('reads a page of a very large file without reading the rest', async () => {
  const project = await temporaryProject({ 'a.log': numbered(1, 5_000) });
  await truncate(project.path('a.log'), 6_000_000_000); // the rest is a sparse hole of NULs
  const { content, isError } = await project.run(readTool, { file_path: 'a.log', offset: 4_000, limit: 2 });
  expect([isError, content]).toEqual([
    false,
    '4000\tline 4000\n4001\tline 4001\n\n(PARTIAL view: lines 4000–4001 of a file of 6000000000 bytes, whose lines were not counted. To continue, read with offset 4002.)',
  ]);
});

test('refuses kernel pseudo files, by their real path', async () => {
  const project = await temporaryProject();
  await symlink('/proc/self/environ', project.path('link.txt'));
  for (const file_path of ['/proc/self/environ', '/proc/meminfo', '/dev/null', '/sys/kernel/notes', 'link.txt']) {
    const { content, failure } = await project.run(readTool, { file_path });
    expect([failure, content]).toEqual([
      'check_refused',
      expect.stringMatching(/ lies in \/(proc|dev|sys), whose files are made up by the system as they are read/),
    ]);
  }
});

test('stops when the call is aborted', async () => {
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

test('refuses fields that are not in its schema', async () => {
  const project = await temporaryProject();
  for (const input of [{}, { file_path: '' }, { file_path: 'a', lines: 2 }, { file_path: 'a', limit: 'all' }]) {
    expect((await project.run(readTool, input)).failure).toBe('invalid_input');
  }
});
