import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { permissionModes } from '../../contract/permission.js';
import { helpPages } from '../help/pages.js';
import { complete } from './complete.js';
import { readPage } from './read-page.js';

async function wordsAfter(line: string): Promise<string[] | string> {
  const values = await complete(line.split(' '));
  return typeof values === 'string' ? values : values.map(({ word }) => word);
}

test.each<[line: string, words: readonly string[] | string]>([
  ['se', ['serve', 'sessions']],
  ['he', ['help']],
  ['help und', ['undo']],
  ['sessions ', ['list', 'show', 'delete', 'export']],
  ['permissions ', ['explain', 'test', 'list']],
  ['permissions explain Re', ['ReadMcpResource', 'Read']],
  ['permissions test ', 'files'],
  ['call Gr', ['Grep']],
  ['call --permission-mode plan Gr', ['Grep']],
  ['call Grep ', []],
  ['call --permission-mode ', permissionModes],
  ['call --permission-mode=pl', ['--permission-mode=plan']],
  ['-p --output-format ', ['text', 'json', 'stream-json']],
  ['-p --input-format ', ['text', 'stream-json']],
  ['--out', ['--output-format']],
  ['--vers', ['--version']],
  ['--screen', ['--screen-reader']],
  ['--effort m', ['medium', 'max']],
  ['--model opu', ['opus']],
  ['--add-dir ', 'folders'],
  ['--settings x', 'files'],
  ['sessions export --format ', ['md', 'html']],
  ['sessions show --', ['--json', '--raw', '--help']],
  ['sessions export --o', ['--output']],
  ['sessions export -o ', 'files'],
  ['mcp add --scope ', ['local', 'project', 'user']],
  ['mcp add -s ', ['local', 'project', 'user']],
  ['mcp add -t ', ['stdio', 'http', 'sse']],
  ['mcp serve --t', ['--trust']],
  ['mcp get --t', ['--trust']],
  ['mcp remove --', ['--scope', '--help']],
  ['config get permissions.de', ['permissions.deny', 'permissions.defaultMode']],
  ['replay --policy ', 'files'],
  ['-p -- --', []],
  ['nonsense ', []],
])('completes "helve %s" with %j', async (line, words) => {
  const found = await wordsAfter(line);
  if (typeof words === 'string') expect(found).toBe(words);
  else expect([...found].sort()).toEqual([...words].sort());
});

test.each(Object.keys(helpPages))(
  'the help of %s shows a value for exactly the flags that take one in the code',
  (command) => {
    const code = sourcesBelow(join(import.meta.dirname, '..')).join('\n');
    const wrong = readPage(command, helpPages[command] ?? '').flags.filter(({ name, value }) => {
      const key = name.startsWith('--') ? `'?${name.slice(2)}'?: ` : '';
      const short = name.startsWith('--') ? '' : `, short: '${name.slice(1)}'`;
      return !new RegExp(`${key}\\{ type: '${value === undefined ? 'boolean' : 'string'}'${short}`).test(code);
    });
    expect(wrong.map(({ name, value }) => ({ name, value }))).toEqual([]);
  },
);

const sourcesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.test)\.ts$/.test(path))
    .map((path) => readFileSync(join(folder, path), 'utf8'));
