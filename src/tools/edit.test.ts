import { chmod, lstat, rm, stat, symlink, utimes } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TemporaryProject, type ToolRun, temporaryProject } from '../testing/temporary-project.js';
import { editTool } from './edit.js';
import { readTool } from './read.js';

async function edit(project: TemporaryProject, old_string: string, new_string: string, more = {}): Promise<ToolRun> {
  await project.run(readTool, { file_path: 'a.txt' });
  return project.run(editTool, { file_path: 'a.txt', old_string, new_string, ...more });
}

test('replaces the text and answers with the difference and five lines around the place', async () => {
  const lines = Array.from({ length: 14 }, (_, index) => `l${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': lines });
  const { content } = await edit(project, 'l7', 'seven');
  expect(await project.text('a.txt')).toBe(lines.replace('l7', 'seven'));
  expect(content).toBe(
    `Edited a.txt: 1 replacement at line 7.

--- a/a.txt
+++ b/a.txt
@@ -4,7 +4,7 @@
 l4
 l5
 l6
-l7
+seven
 l8
 l9
 l10

The edited place:
2\tl2
3\tl3
4\tl4
5\tl5
6\tl6
7\tseven
8\tl8
9\tl9
10\tl10
11\tl11
12\tl12`,
  );
});

test.each(['$&', '$1', '$`', "$'", '$$', '\\n', '&amp;'])('writes %s as it is', async (text) => {
  const project = await temporaryProject({ 'a.txt': 'cost: X end\n' });
  await edit(project, 'X', text);
  expect(await project.text('a.txt')).toBe(`cost: ${text} end\n`);
});

test.each([
  ['CRLF, text sent with LF', 'a\r\nb\r\nc\r\n', 'a\nb', 'A\nB\nC', 'A\r\nB\r\nC\r\nc\r\n'],
  ['CRLF, text sent with CRLF', 'a\r\nb\r\n', 'a\r\nb', 'A\r\nB', 'A\r\nB\r\n'],
  ['CRLF, new text of more lines', 'a\r\nb\r\n', 'a', 'x\ny', 'x\r\ny\r\nb\r\n'],
  ['CR', 'a\rb\rc\r', 'a\nb', 'A\nB', 'A\rB\rc\r'],
  ['mixed, each line with its own', 'a\nb\r\nc\rd\n', 'a\nb\nc\nd', 'a\nB\nc\nD', 'a\nB\r\nc\rD\n'],
  ['mixed, one line taken out', 'a\nb\r\nc\r', 'a\nb\nc', 'a\nc', 'a\nc\r'],
  ['one CRLF alone', '\r\n', '\n', 'x\n', 'x\r\n'],
  ['LF, text sent with CRLF', 'a\nb\n', 'a\r\nb', 'A\r\nB', 'A\nB\n'],
  ['made LF on purpose', 'a\r\nb\r\n', 'a\r\n', 'a\n', 'a\nb\r\n'],
  ['CRLF, but the new text with LF', 'a\r\nb\r\n', 'a\r\nb', 'A\nB', 'A\r\nB\r\n'],
])('keeps line endings: %s', async (_, before, old_string, new_string, after) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, old_string, new_string);
  expect([await project.text('a.txt'), content]).toEqual([after, expect.stringContaining('1 replacement')]);
});

test('finds two passages that differ in line endings alone not unique, since the model can not tell them apart', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\nb\nx\na\r\nb\r\n' });
  expect((await edit(project, 'a\nb', 'c')).content).toMatch(/occurs 2 times in a.txt \(lines 1, 4\)/);
});

test.each([
  ['UTF-8 with a mark', Buffer.from('\ufeffa\nb\n'), Buffer.from('\ufeffa\nπ\n')],
  ['UTF-16 LE', Buffer.from('\ufeffa\nb\n', 'utf16le'), Buffer.from('\ufeffa\nπ\n', 'utf16le')],
  ['UTF-16 BE', Buffer.from('\ufeffa\nb\n', 'utf16le').swap16(), Buffer.from('\ufeffa\nπ\n', 'utf16le').swap16()],
])('keeps the encoding: %s', async (_, before, after) => {
  const project = await temporaryProject({ 'a.txt': before });
  await edit(project, 'b', 'π');
  expect(await project.bytes('a.txt')).toEqual(after);
});

test('lets straight quotes stand for typographic ones, keeps those of the file, and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'he said “don’t stop” and ‘left’\n' });
  const { content } = await edit(project, `"don't stop" and 'left'`, `"don't go" and then 'went'`);
  expect(await project.text('a.txt')).toBe('he said “don’t go” and then ‘went’\n');
  expect(content).toContain('matched after quote normalisation');
});

test('turns typographic quotes into straight ones when that is what was sent', async () => {
  const project = await temporaryProject({ 'a.txt': 'say ‘x’\n' });
  await edit(project, '‘x’', "'x'");
  expect(await project.text('a.txt')).toBe("say 'x'\n");
});

test('replaces all, or as many as are expected', async () => {
  const project = await temporaryProject({ 'a.txt': 'x\nx\nx\n' });
  expect((await edit(project, 'x', 'y')).content).toBe(
    'old_string occurs 3 times in a.txt (lines 1, 2, 3), so it is not unique. Add surrounding lines until it occurs once, or set replace_all to change all 3.',
  );
  expect((await edit(project, 'x', 'y', { expected_replacements: 2 })).content).toMatch(
    /^expected 2 replacements, found 3 matches \(lines 1, 2, 3\)\. Nothing was written\./,
  );
  expect(await project.text('a.txt')).toBe('x\nx\nx\n');
  await edit(project, 'x', 'y\nz', { expected_replacements: 3 });
  expect(await project.text('a.txt')).toBe('y\nz\ny\nz\ny\nz\n');
  await edit(project, 'y', 'Y', { replace_all: true });
  expect(await project.text('a.txt')).toBe('Y\nz\nY\nz\nY\nz\n');
});

test('does not take a text that overlaps itself for unique', async () => {
  const project = await temporaryProject({ 'a.txt': 'aaa' });
  expect((await edit(project, 'aa', 'b')).content).toMatch(/occurs 2 times/);
});

test('refuses what makes no sense before it looks at the file', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  expect((await edit(project, 'x', 'x')).content).toBe(
    'old_string and new_string are identical, so there is nothing to do.',
  );
  expect((await edit(project, '', 'x', { replace_all: true })).content).toMatch(/^old_string is empty/);
  expect((await edit(project, 'one', '\ud83d')).content).toMatch(/half of a surrogate pair/);
});

test('makes no file, fills no empty one and touches no binary one', async () => {
  const project = await temporaryProject({ 'empty.txt': '', 'a.png': Buffer.from('\x89PNG\r\n\x1a\n text', 'latin1') });
  const words = async (file_path: string) =>
    (await project.run(editTool, { file_path, old_string: 'text', new_string: 'x' })).content;
  expect(await words('new.txt')).toMatch(/^new.txt does not exist/);
  expect(await words('empty.txt')).toBe('empty.txt is empty, so there is nothing to replace. Use Write to fill it.');
  expect(await words('a.png')).toMatch(/^a.png is a binary file \(image\/png\)/);
});

test('refuses a file that was not read', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  expect(await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' })).toMatchObject({
    content:
      'a.txt has not been read in this session, so an edit could destroy content you have not seen. Read it, then send the edit again.',
    isError: true,
    failure: 'check_refused',
  });
  expect(await project.text('a.txt')).toBe('one\n');
});

test('edits inside the lines that were read and refuses the others', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
  await project.run(readTool, { file_path: 'a.txt', offset: 1, limit: 2 });
  const run = (old_string: string, new_string: string) =>
    project.run(editTool, { file_path: 'a.txt', old_string, new_string });
  expect((await run('four', '4')).content).toMatch(/have not been read \(4; read so far: 1–2\)/);
  expect((await run('two', '2\n2b')).isError).toBe(false);
  expect((await run('2b', '2c')).isError).toBe(false);
  expect((await run('three', '3')).content).toMatch(/have not been read \(4; read so far: 1–3\)/);
});

test('takes a new date alone for no change', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await utimes(project.path('a.txt'), new Date(), new Date(Date.now() + 60_000));
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect([run.isError, await project.text('a.txt')]).toEqual([false, '1\n']);
});

test('edits a file that changed elsewhere, keeps the change and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'zero\none\ntwo\n');
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(await project.text('a.txt')).toBe('zero\none\n2\n');
  expect(run.content).toContain('The file had changed on disk since you read it');
});

test('refuses to edit a file that changed in the place of the edit, and writes nothing', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\nTWO\n');
  const { content } = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(content).toMatch(
    /^a.txt changed on disk after you read it \(read \d\d:\d\d:\d\d, modified \d\d:\d\d:\d\d\), and old_string does not occur exactly once in the new content \(0 matches\)\. Nothing was written\./,
  );
  expect(await project.text('a.txt')).toBe('one\nTWO\n');
});

test('refuses a file that was deleted after it was read', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await rm(project.path('a.txt'));
  const { content } = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect(content).toMatch(/does not exist/);
});

test('shows the nearest text and in what it differs', async () => {
  const project = await temporaryProject({ 'a.txt': 'function a() {\n\treturn 1;\n}\n' });
  expect((await edit(project, '    return 1;', 'x')).content).toBe(
    'old_string was not found in a.txt (0 matches). The nearest text is at line 2 and differs in indentation (tab, not 4 spaces). Copy the text exactly as in the file:\n2\t\treturn 1;',
  );
  expect((await edit(project, 'Function a() {', 'x')).content).toMatch(/at line 1 and differs in upper and lower case/);
  expect((await edit(project, 'nothing like it', 'x')).content).toMatch(/No passage of the file is similar to it/);
});

test('knows the line numbers of Read when they come back', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  expect((await edit(project, '1\tone\n2\ttwo', 'x')).content).toBe(
    'old_string carries line-number prefixes from Read\'s output ("1\\t"). Send it without them:\none\ntwo',
  );
  expect((await edit(project, '     2→twoo', 'x')).content).toMatch(
    /was not found in a.txt either \(0 matches\)\. The file's text there is:\n2\ttwo\n/,
  );
});

test('keeps the mode, writes through a link and names its target', async () => {
  const project = await temporaryProject({ 'real.sh': 'one\n' });
  await chmod(project.path('real.sh'), 0o755);
  await symlink('real.sh', project.path('a.txt'));
  const { content } = await edit(project, 'one', '1');
  expect([await project.text('real.sh'), (await stat(project.path('real.sh'))).mode & 0o777]).toEqual(['1\n', 0o755]);
  expect((await lstat(project.path('a.txt'))).isSymbolicLink()).toBe(true);
  expect(content).toContain('a.txt (a link to real.sh)');
});

test('declares a read and a write of the file', async () => {
  const project = await temporaryProject({ 'a.txt': 'x' });
  const effects = await project.effects(editTool, { file_path: 'a.txt', old_string: 'x', new_string: 'y' });
  expect(
    effects.map((effect) => ('access' in effect ? `${effect.kind} ${effect.access}` : effect.kind)).sort(),
  ).toEqual(['file read', 'file write', 'session read']);
});

test('changes nothing but the one place, whatever the file holds', async () => {
  const part = fc
    .array(fc.constantFrom('a', 'é', '👍', '\n', '\r\n', '’', '\t'), { maxLength: 12 })
    .map((all) => all.join(''));
  await fc.assert(
    fc.asyncProperty(part, part, part, async (before, after, fresh) => {
      const project = await temporaryProject({ 'a.txt': `${before}<X>${after}` });
      await edit(project, '<X>', `<${fresh.replaceAll('\r\n', '\n')}>`);
      const result = await project.text('a.txt');
      expect(result.startsWith(`${before}<`)).toBe(true);
      expect(result.endsWith(`>${after}`)).toBe(true);
      const written = result.slice(before.length + 1, result.length - after.length - 1);
      expect(written.replaceAll('\r\n', '\n')).toBe(fresh.replaceAll('\r\n', '\n'));
    }),
    { numRuns: 60 },
  );
});
