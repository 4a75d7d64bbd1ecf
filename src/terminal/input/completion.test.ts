import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { type CompletionSources, PromptCompletion } from './completion.js';
import { FileIndex } from './file-index.js';

function project(...files: string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'helve-completion-'));
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), '');
  }
  return root;
}

async function complete(text: string, sources: Partial<CompletionSources> & { root: string }, force = false) {
  const files = new FileIndex({ root: sources.root, env: process.env });
  const completion = new PromptCompletion({ files, cwd: () => sources.root, commands: async () => [], ...sources });
  const { signal } = new AbortController();
  const found = await completion.getSuggestions([text], 0, text.length, { signal, force });
  const fill = (value: string) =>
    completion.applyCompletion([text], 0, text.length, { value, label: value }, found?.prefix ?? '').lines[0];
  return { values: found?.items.map(({ value }) => value) ?? [], fill };
}

test('completes files after an @ by some of their letters, anywhere in the prompt', async () => {
  const root = project('src/tools/read.ts', 'src/other.ts', 'a b.txt');
  const { values, fill } = await complete('look at @sread', { root });
  expect(values).toEqual(['@src/tools/read.ts']);
  expect(fill('@src/tools/read.ts')).toBe('look at @src/tools/read.ts ');
  expect((await complete('@ab', { root })).values).toEqual(['@"a b.txt"']);
});

test('completes resources of servers after an @, first if the name of the server is typed', async () => {
  const root = project('notes.md');
  const mentions = async () => [{ value: 'notes:note://1', description: 'one' }, { value: 'web:https://a.example' }];
  expect((await complete('see @no', { root, mentions })).values).toEqual(['@notes.md', '@notes:note://1']);
  const { values, fill } = await complete('see @notes:', { root, mentions });
  expect(values).toEqual(['@notes:note://1']);
  expect(fill('@notes:note://1')).toBe('see @notes:note://1 ');
});

test('continues after a folder', async () => {
  const root = project('src/one.ts');
  const { values, fill } = await complete('@src', { root });
  expect(values).toEqual(['@src/', '@src/one.ts']);
  expect(fill('@src/')).toBe('@src/');
});

test('omits ignored files, and offers nothing in a mail address', async () => {
  const root = project('kept.txt', 'left.txt', '.gitignore', '.git/HEAD');
  writeFileSync(join(root, '.gitignore'), 'left.txt\n');
  expect((await complete('@txt', { root })).values).toEqual(['@kept.txt']);
  expect((await complete('me@kept', { root })).values).toEqual([]);
});

test('completes a path to a folder outside the project', async () => {
  const root = project('inside/x.txt');
  expect((await complete(`@${root}/ins`, { root })).values).toEqual([`@${root}/inside/`]);
});

test('completes commands, prefix matches first, and their arguments', async () => {
  const root = project();
  const commands = async () => [
    { name: 'mcp', description: 'servers' },
    { name: 'compact', description: 'make room' },
    { name: 'model', description: 'choose', complete: (typed: string) => [{ value: `${typed}onnet` }] },
  ];
  expect((await complete('/m', { root, commands })).values).toEqual(['/mcp', '/model', '/compact']);
  const { values, fill } = await complete('/model s', { root, commands });
  expect(values).toEqual(['sonnet']);
  expect(fill('sonnet')).toBe('/model sonnet ');
});

test('completes a path on Tab, and nothing otherwise', async () => {
  const root = project('notes.md');
  expect((await complete('cat no', { root }, true)).values).toEqual(['notes.md']);
  expect((await complete('cat no', { root })).values).toEqual([]);
});

test('finds new files once the names are read again', async () => {
  const root = project('one.ts');
  const files = new FileIndex({ root, env: process.env });
  await files.ready();
  expect(files.find('', 5)).toEqual(['one.ts']);
  expect(files.isWhole).toBe(true);
});

test('explains once why no files can be offered', async () => {
  const said: string[] = [];
  const withoutRipgrep = { USE_BUILTIN_RIPGREP: '0', PATH: '' };
  const onProblem = (sentence: string) => void said.push(sentence);
  const files = new FileIndex({ root: project('one.ts'), env: withoutRipgrep, onProblem });
  await files.ready();
  await files.ready();
  expect(files.find('one', 5)).toEqual([]);
  expect(said).toEqual([
    expect.stringMatching(/^Files can't be offered after @: ripgrep, which searches need, was not found: .*\.$/),
  ]);
  files.end();
});

test('reports nothing about a scan that failed because the terminal was closed', async () => {
  const said: string[] = [];
  const onProblem = (sentence: string) => void said.push(sentence);
  const files = new FileIndex({ root: project('one.ts'), env: process.env, onProblem });
  const reading = files.ready();
  files.end();
  await reading;
  expect(said).toEqual([]);
});

test('stops at the maximum number of names', async () => {
  const files = new FileIndex({ root: project('a', 'b', 'c'), env: process.env, maxPaths: 2 });
  await files.ready();
  expect(files.size).toBe(2);
  expect(files.isWhole).toBe(false);
});

test('keeps the typed text if the list is one key press old', () => {
  const files = new FileIndex({ root: '/', env: {} });
  const completion = new PromptCompletion({ files, cwd: () => '/', commands: async () => [] });
  const item = { value: '/helper', label: '/helper' };
  expect(completion.applyCompletion(['/help'], 0, 5, item, '/he').lines).toEqual(['/help']);
  expect(completion.applyCompletion(['/theme l'], 0, 8, item, '').lines).toEqual(['/theme l']);
});

test('offers no name with control characters', async () => {
  const root = project('plain.txt', 'evil\x1b]0;x\x07.txt', 'two\nlines.txt', 'turned\u202etxt.exe');
  expect((await complete('@', { root })).values).toEqual(['@plain.txt']);
  expect((await complete('cat ', { root }, true)).values).toEqual(['plain.txt']);
});
