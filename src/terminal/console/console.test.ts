import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { builtInTools } from '../../tools/index.js';
import type { ConsoleTool } from '../contract.js';
import { completeCall } from './complete-call.js';
import { consoleHelp } from './console-help.js';
import { usageOf } from './fields.js';
import { parseCall } from './parse-call.js';
import { quoted, readWords } from './words.js';

const tools: ConsoleTool[] = builtInTools().map((tool) => ({
  name: tool.name,
  ...(tool.about !== undefined && { about: tool.about }),
  description: String(tool.describe({ root: '/project', mode: 'repl', deferredTools: [], editStyle: 'text' })),
  inputSchema: tool.inputSchema,
}));

const parse = (line: string) => parseCall(line, tools);

test.each([
  ['Read src/a.ts', 'Read', { file_path: 'src/a.ts' }],
  ['read "my file.txt" --limit 20 --offset=5', 'Read', { file_path: 'my file.txt', limit: 20, offset: 5 }],
  ['Grep TODO --glob *.ts -i', 'Grep', { pattern: 'TODO', glob: '*.ts', '-i': true }],
  ['Grep TODO src --output-mode content', 'Grep', { pattern: 'TODO', path: 'src', output_mode: 'content' }],
  ['Grep --multiline false -- -x', 'Grep', { multiline: false, pattern: '-x' }],
  ['Grep "--x" -A 2', 'Grep', { pattern: '--x', '-A': 2 }],
  [String.raw`Grep \bword\b`, 'Grep', { pattern: String.raw`\bword\b` }],
  ['Bash npm test', 'Bash', { command: 'npm test' }],
  ['Bash --timeout 5000 ls -la --color "a b"', 'Bash', { timeout: 5000, command: 'ls -la --color "a b"' }],
  ['Bash --run-in-background sleep 9', 'Bash', { run_in_background: true, command: 'sleep 9' }],
  [
    'Edit {"file_path":"a","old_string":"b","new_string":"c"}',
    'Edit',
    { file_path: 'a', old_string: 'b', new_string: 'c' },
  ],
  [
    'Edit a.ts old "new text" --replace-all',
    'Edit',
    { file_path: 'a.ts', old_string: 'old', new_string: 'new text', replace_all: true },
  ],
  [
    'Edit a.ts old "" --no-replace-all',
    'Edit',
    { file_path: 'a.ts', old_string: 'old', new_string: '', replace_all: false },
  ],
])('parses the call %s', (line, tool, input) => {
  expect(parse(line)).toEqual({ tool, input });
});

test.each([
  ['Reed a', 'There is no tool "Reed". Did you mean Read?'],
  [
    'hello there',
    'There is no model that could answer, and no tool "hello". /login signs in, /model chooses a model, /key stores a key; help lists the tools.',
  ],
  ['Read', /^Read: file_path is missing.\nUsage: Read FILE-PATH \[--offset N\]/],
  ['Read a --limt 3', /^Read: there is no --limt. Did you mean --limit\?\nUsage: /],
  ['Read a --limit', /^Read: --limit needs a value\./],
  ['Read a --limit all', /^Read: --limit takes a .*number.*, but was "all"\./],
  ['Read a b c', /^Read: "b" is one word too many\. Put quotes around/],
  ['Read "a', /^Read: a quote \("\) is not closed\./],
  ['Grep x --output-mode cuont', /but was "cuont"\. Did you mean count\?/],
  ['Grep x --output-mode lines', /^Grep: --output-mode takes content, files_with_matches, count, but was "lines"\./],
  ['Edit {"file_path": }', /^Edit: the input is not valid JSON/],
  ['Edit a', /^Edit: old_string and new_string are missing\./],
])('reports the problem with %s', (line, problem) => {
  expect(parse(line)).toEqual({ problem: typeof problem === 'string' ? problem : expect.stringMatching(problem) });
});

test('writes a usage line for every tool', () => {
  expect(usageOf(tools.find(({ name }) => name === 'Grep') ?? { name: '', inputSchema: {} })).toMatch(
    /^Grep PATTERN \[PATH\] .*\[--output-mode content\|files_with_matches\|count\].*\[-i\]/,
  );
  for (const tool of tools) expect(usageOf(tool)).toMatch(new RegExp(`^${tool.name}`));
});

test('appends to a list each time it is named', () => {
  const inputSchema = { properties: { tag: { type: 'array', items: { type: 'string' } } } };
  const tool = { name: 'Label', description: '', inputSchema };
  expect(parseCall('Label --tag a --tag b', [tool])).toEqual({ tool: 'Label', input: { tag: ['a', 'b'] } });
  expect(parseCall('Label --tag ["c"]', [tool])).toEqual({ tool: 'Label', input: { tag: ['c'] } });
});

test('reads any quoted text as one word', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(readWords(quoted(text)).words.map((word) => word.text)).toEqual([text]);
    }),
  );
});

function place(): { cwd: string } {
  const cwd = mkdtempSync(join(tmpdir(), 'helve-console-'));
  mkdirSync(join(cwd, 'src'));
  writeFileSync(join(cwd, 'src', 'a b.ts'), '');
  writeFileSync(join(cwd, 'readme.md'), '');
  return { cwd };
}

test.each([
  ['Re', ['Read']],
  ['Read ', ['readme.md', 'src/']],
  ['Read src/', ["'src/a b.ts'"]],
  ['Grep x --output-mode c', ['content', 'count']],
  ['Grep x --out', ['--output-mode']],
  ['Grep x --output-mode=f', ['--output-mode=files_with_matches']],
  ['Bash cat rea', ['readme.md']],
  ['Nothing x', []],
])('completes %j', async (line, expected) => {
  const { choices } = await completeCall(line, tools, place());
  const values = choices.map(({ value }) => value);
  expect(values.slice(0, expected.length)).toEqual(expected);
  if (expected.length === 0) expect(values).toEqual([]);
});

test('offers no parameter twice', async () => {
  const { choices } = await completeCall('Read a --limit 3 --', tools, place());
  const values = choices.map(({ value }) => value);
  expect(values).toContain('--offset');
  expect(values).not.toContain('--limit');
});

test('lists the tools on one screen, and explains each', () => {
  const listed = consoleHelp('', tools).split('\n');
  expect(listed.length).toBeLessThanOrEqual(40);
  expect(listed.filter((line) => line.startsWith('  ') && line.length > 80)).toEqual([]);
  expect(listed).toContainEqual(expect.stringMatching(/^ {2}Bash +Runs a shell command$/));
  expect(consoleHelp('read', tools)).toMatch(/^Read FILE-PATH[\s\S]*--limit/);
  expect(consoleHelp('read', tools)).toMatch(/\n\nReads a file, an image, a PDF or a notebook\.$/);
  expect(consoleHelp('Grap', tools)).toBe('There is no tool "Grap". Did you mean Grep?');
});
