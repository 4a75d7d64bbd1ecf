import { delimiter, dirname } from 'node:path';
import { expect, test } from 'vitest';
import { findRipgrep } from '../../platform/search/find-ripgrep.js';
import { type TestProject, temporaryProject } from '../../testing/temporary-project.js';
import { applyPatchTool } from '../apply-patch.js';
import { editTool } from '../edit.js';
import { grepTool } from '../grep.js';
import { writeTool } from '../write.js';
import { bashTool } from './bash.js';

const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1} of the file\n`).join('');

const seen = (project: TestProject, file = 'f.txt') => project.engine.session.ledger.get(project.path(file))?.lines;

async function seenAfter(command: string, options: { env?: NodeJS.ProcessEnv } = {}): Promise<unknown> {
  const project = await temporaryProject({ 'f.txt': text, 'd/g.txt': 'other\n' }, options);
  const { isError, content } = await project.run(bashTool, { command });
  expect([isError, content]).toEqual([false, content]);
  const lines = seen(project);
  await project.remove();
  return lines;
}

test.each([
  ['cat f.txt', 'all'],
  ['cat < f.txt', 'all'],
  ['cat -n f.txt', 'all'],
  ['nl f.txt', 'all'],
  ['nl -ba f.txt | sed -n 3,5p', [[3, 5]]],
  ['sed -n 1,80p f.txt', 'all'],
  [
    "sed -n '2,3p;8p' f.txt",
    [
      [2, 3],
      [8, 8],
    ],
  ],
  ['head -n 2 f.txt', [[1, 2]]],
  [
    'head -3 f.txt && tail -n 2 f.txt',
    [
      [1, 3],
      [11, 12],
    ],
  ],
  ['tail -n +10 f.txt', [[10, 12]]],
  ['grep "line 7" f.txt', [[7, 7]]],
  ['grep -n -A1 "line 7" f.txt', [[7, 8]]],
  ['cd d && cat ../f.txt', 'all'],
  ['echo ---; head -n 1 f.txt; cat d/g.txt', [[1, 1]]],
  ['echo -e "\\n--- f ---"; cat f.txt | head -n 2', [[1, 2]]],
  ['ls; pwd; head -n 1 f.txt', [[1, 1]]],
  ['ls -la d && nl -ba -w 3 f.txt', 'all'],
])('lines that a command printed count as read: %s', async (command, lines) => {
  expect(await seenAfter(command)).toEqual(lines);
});

test.each([
  ['rg "line 7" f.txt', [[7, 7]]],
  ['rg -n -A1 "line 7" f.txt', [[7, 8]]],
  ['rg -o "line 7" f.txt', undefined],
  ['rg --replace row "line 7" f.txt', undefined],
  ['rg --count line f.txt', undefined],
])('whole lines printed by ripgrep count as read: %s', async (command, lines) => {
  const env = { ...process.env, PATH: `${dirname(findRipgrep({}))}${delimiter}${process.env['PATH']}` };
  expect(await seenAfter(command, { env })).toEqual(lines);
});

test.each([
  'cat f.txt > /dev/null',
  'cat f.txt > copy.txt',
  'cat f.txt | sort',
  'cat f.txt | tr a-z A-Z',
  'cat f.txt | cut -c 1-6',
  'sed s/line/row/ f.txt',
  'sed -n -e 1p -e s/line/line/p f.txt',
  'head -c 40 f.txt',
  'grep -o "line 7" f.txt',
  'grep -c line f.txt',
  'wc -l f.txt',
  'cat *.txt',
  'awk 1 f.txt',
  "cat f.txt > /dev/null; echo 'line 7 of the file'",
  'cat f.txt; python3 -c "print(1)" || true',
  'cat f.txt; echo x >> f.txt',
])('no line counts as read after %s', async (command) => {
  expect(await seenAfter(command)).toBeUndefined();
});

test.each([
  "head -n 1 f.txt; echo 'line 7 of the file'",
  "head -n 1 f.txt; echo -n 'line 7 of the file'",
  "head -n 1 f.txt; echo -e 'line 6 of the file\\nline 7 of the file'",
  "head -n 1 f.txt; echo -e '\\x6cine 7 of the file'",
  "head -n 1 f.txt; printf 'line 7 of the file\\n'",
  "head -n 1 f.txt; echo 'line 7 of the file' | cat -n",
  "head -n 1 f.txt; echo 'line 7 of the file' | grep -n line",
  "head -n 1 f.txt; { echo 'line 7 of the file'; } | nl",
  "head -n 1 f.txt; cat <<'EOF'\nline 7 of the file\nEOF",
  "head -n 1 f.txt; cat <<< 'line 7 of the file'",
  "head -n 1 f.txt; cat -n <(echo 'line 7 of the file')",
  "head -n 1 f.txt; nl -s $'\\nline 7 of the file\\n' d/g.txt",
])('text from the command itself does not count as read: %s', async (command) => {
  expect([undefined, [[1, 1]]]).toContainEqual(await seenAfter(command));
});

test('names printed by ls do not count as lines of a file', async () => {
  const project = await temporaryProject({ '.gitignore': 'dist/\nd\nfile.txt\nother\n', 'file.txt': '', 'd/g': '' });
  await project.run(bashTool, { command: 'ls; head -n 1 .gitignore; ls -p; ls d' });
  expect(seen(project, '.gitignore')).toEqual([[1, 1]]);
  await project.remove();
});

test('treats a number or name before a line as part of it if no program in the command prints such prefixes', async () => {
  const project = await temporaryProject({
    'f.txt': '2:beta\nbeta\n',
    'h.txt': 'alpha\nbeta\n',
    'd/g.txt': 'h.txt:beta\n',
  });
  await project.run(bashTool, { command: 'head -n 1 f.txt; head -n 1 h.txt; cat d/g.txt' });
  expect([seen(project), seen(project, 'h.txt')]).toEqual([[[1, 1]], [[1, 1]]]);
  await project.remove();
});

test('lines of truncated output do not count as read', async () => {
  const long = Array.from({ length: 3_000 }, (_, index) => `line ${index + 1} of a long file\n`).join('');
  const project = await temporaryProject({ 'f.txt': long });
  await project.run(bashTool, { command: 'cat f.txt' });
  expect(seen(project)).toBeUndefined();
  await project.run(bashTool, { command: 'sed -n 2000,2010p f.txt' });
  expect(seen(project)).toEqual([[2000, 2010]]);
  await project.remove();
});

test('a file whose text a command printed can be edited and written', async () => {
  const project = await temporaryProject({ 'f.txt': text });
  const edit = { file_path: 'f.txt', old_string: 'line 2', new_string: 'row 2' };
  expect((await project.run(editTool, edit)).isError).toBe(true);
  await project.run(bashTool, { command: 'head -n 3 f.txt' });
  expect((await project.run(editTool, edit)).isError).toBe(false);
  const write = { file_path: 'f.txt', content: 'new\n' };
  expect((await project.run(writeTool, write)).content).toMatch(/read in part only \(lines 1–3\)/);
  await project.run(bashTool, { command: 'cat f.txt' });
  expect((await project.run(writeTool, write)).isError).toBe(false);
  await project.remove();
});

test('a file whose text a command printed can be patched', async () => {
  const project = await temporaryProject({ 'f.txt': 'a\nb\nc\n' });
  const input = '*** Begin Patch\n*** Update File: f.txt\n@@\n-b\n+B\n*** End Patch';
  expect((await project.run(applyPatchTool, { input })).isError).toBe(true);
  await project.run(bashTool, { command: 'cat f.txt' });
  expect(await project.run(applyPatchTool, { input })).toMatchObject({ isError: false });
  expect(await project.text('f.txt')).toBe('a\nB\nc\n');
  await project.remove();
});

test('lines that Grep shows whole count as read, in each file', async () => {
  const project = await temporaryProject({
    'f.txt': text,
    'd/g.txt': `line 7 of another\n${'x'.repeat(600)} line 7\n`,
  });
  const grep = (more: object) => project.run(grepTool, { pattern: 'line 7', ...more });
  await grep({});
  await grep({ output_mode: 'count' });
  await grep({ output_mode: 'content', '-o': true });
  expect([seen(project), seen(project, 'd/g.txt')]).toEqual([undefined, undefined]);
  await grep({ output_mode: 'content', '-A': 1 });
  expect([seen(project), seen(project, 'd/g.txt')]).toEqual([[[7, 8]], [[1, 1]]]);
  await grep({ output_mode: 'content', pattern: 'line 1 ', '-n': false });
  expect(seen(project)).toEqual([
    [1, 1],
    [7, 8],
  ]);
  await project.remove();
});
