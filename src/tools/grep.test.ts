import { utimes } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { grepTool } from './grep.js';

const files = {
  'a.ts': 'one\nneedle two\nthree\n',
  'src/b.ts': 'needle needle\n',
  'c.md': 'Needle\n',
  'd.txt': 'hay\n',
};

test('names the files that match, newest first', async () => {
  const project = await temporaryProject(files);
  await utimes(project.path('a.ts'), 2_000, 2_000);
  await utimes(project.path('src/b.ts'), 1_000, 1_000);
  expect((await project.run(grepTool, { pattern: 'needle' })).content).toBe('Found 2 files\na.ts\nsrc/b.ts');
});

test.each([
  ['lines with numbers', {}, 'a.ts:2:needle two\nsrc/b.ts:1:needle needle'],
  ['lines without numbers', { '-n': false }, 'a.ts:needle two\nsrc/b.ts:needle needle'],
  ['context', { '-C': 1 }, 'a.ts-1-one\na.ts:2:needle two\na.ts-3-three\n--\nsrc/b.ts:1:needle needle'],
  ['context by a plain name', { after_context: 1, path: 'a.ts' }, 'a.ts:2:needle two\na.ts-3-three'],
  ['any case', { '-i': true, glob: '*.md' }, 'c.md:1:Needle'],
  ['a type', { type: 'md', '-i': true }, 'c.md:1:Needle'],
  ['two globs at once', { include: '*.{md,rs}, src/*.ts', '-i': true }, 'c.md:1:Needle\nsrc/b.ts:1:needle needle'],
])('shows content: %s', async (_, options, expected) => {
  const project = await temporaryProject(files);
  const { content } = await project.run(grepTool, { pattern: 'needle', output_mode: 'content', ...options });
  expect(content).toBe(expected);
});

test('counts matches in each file and altogether', async () => {
  const project = await temporaryProject(files);
  expect((await project.run(grepTool, { pattern: 'needle', output_mode: 'count' })).content).toBe(
    'a.ts:1\nsrc/b.ts:2\nFound 3 matches in 2 files.',
  );
});

test('matches across lines when told to, and before \\r\\n with $', async () => {
  const project = await temporaryProject({ 'a.txt': 'begin\nend\n', 'b.txt': 'x end\r\n' });
  const run = async (input: object) => (await project.run(grepTool, { output_mode: 'content', ...input })).content;
  expect(await run({ pattern: 'begin.end', multiline: true })).toBe('a.txt:1:begin\na.txt:2:end');
  expect(await run({ pattern: 'x end$' })).toBe('b.txt:1:x end');
});

test('shows a page and says how to go on', async () => {
  const project = await temporaryProject({ 'a.txt': 'x\n'.repeat(300) });
  const run = async (input: object) =>
    String((await project.run(grepTool, { pattern: 'x', output_mode: 'content', ...input })).content).split('\n');
  expect((await run({})).slice(-2)).toEqual([
    'a.txt:250:x',
    '(Showing lines 1–250 of 300. To continue, use offset 250.)',
  ]);
  expect(await run({ offset: 250 })).toHaveLength(51);
  expect(await run({ head_limit: 0 })).toHaveLength(300);
  expect(await run({ offset: 900 })).toEqual(['There are 300 lines, so there is nothing at offset 900.']);
});

test('cuts long lines', async () => {
  const project = await temporaryProject({ 'a.js': `needle${'x'.repeat(5_000)}\n` });
  const { content } = await project.run(grepTool, { pattern: 'needle', output_mode: 'content' });
  expect(content.length).toBeLessThan(600);
});

test('searches hidden files and nothing that .gitignore names, even where the glob matches it', async () => {
  const project = await temporaryProject({
    '.gitignore': 'build\n',
    '.hidden': 'needle',
    'build/a.ts': 'needle',
    '.git/config': 'needle',
  });
  for (const glob of [undefined, '**']) {
    expect((await project.run(grepTool, { pattern: 'needle', ...(glob && { glob }) })).content).toBe(
      'Found 1 file\n.hidden',
    );
  }
});

test('takes a pattern that looks like an option for a pattern', async () => {
  const project = await temporaryProject({ 'a.txt': 'rm --pre=evil\n' });
  expect((await project.run(grepTool, { pattern: '--pre=evil', output_mode: 'content' })).content).toBe(
    'a.txt:1:rm --pre=evil',
  );
});

test("carries ripgrep's words about a bad expression, type or path", async () => {
  const project = await temporaryProject(files);
  const words = async (input: object) => (await project.run(grepTool, { pattern: 'x', ...input })).content;
  expect(await words({ pattern: '(open' })).toMatch(/unclosed group/);
  expect(await words({ type: 'klingon' })).toMatch(/unrecognized file type: klingon/);
  expect(await words({ path: 'none' })).toMatch(/^none does not exist/);
  expect(await words({ pattern: 'a\0b' })).toMatch(/NUL/);
});

test('says that nothing matches', async () => {
  const project = await temporaryProject(files);
  expect(await project.run(grepTool, { pattern: 'nowhere' })).toMatchObject({
    content: 'No match for "nowhere". Check the directory and the glob, or try a wider pattern.',
    isError: false,
  });
});

test('ends with the call', async () => {
  const project = await temporaryProject(files);
  const accepted = grepTool.accept({ pattern: 'x' });
  if (!accepted.ok) throw new Error('the input is fine');
  const controller = new AbortController();
  const running = accepted.call.run(project.engine.contextFor('call', controller.signal)).next();
  controller.abort(new Error('cancelled'));
  await expect(running).rejects.toThrow('cancelled');
});

test('declares that it reads the tree below its path', async () => {
  const project = await temporaryProject(files);
  expect(await project.effects(grepTool, { pattern: 'x', path: 'src' })).toContainEqual(
    expect.objectContaining({ kind: 'file', access: 'read', path: project.path('src'), tree: true }),
  );
});
