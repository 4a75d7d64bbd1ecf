import { chmod, lstat, mkdir, rm, stat, symlink, utimes } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { StaleFile } from '../contract/file-change.js';
import type { Answer, Question } from '../contract/question.js';
import { type TestProject, type ToolRun, temporaryProject } from '../testing/temporary-project.js';
import { editTool } from './edit.js';
import { readTool } from './read.js';

async function edit(project: TestProject, old_string: string, new_string: string, more = {}): Promise<ToolRun> {
  await project.run(readTool, { file_path: 'a.txt' });
  return project.run(editTool, { file_path: 'a.txt', old_string, new_string, ...more });
}

test('replaces the text and returns the diff with five lines of context', async () => {
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

test.each(['$&', '$1', '$`', "$'", '$$', '\\n', '&amp;'])('writes %s literally', async (text) => {
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

test.each([
  ['takes the returns of a CRLF file away', 'one\r\ntwo\r\nthree\r\n', '\r', '', 'one\ntwo\nthree\n', 3],
  ['matches at the end of the old text', 'one\r\ntwo\r\n', 'one\r', 'uno', 'uno\ntwo\r\n', 1],
  ['matches before a line of the old text', 'a\rb\r\nc\n', '\rb', '-b', 'a-b\r\nc\n', 1],
  ['matches between halves of two endings', 'a\r\nb\r\nc', '\nb\r', '', 'a\r\nc', 1],
  ['matches the one and not the other of two endings', 'a\rb\r\nc\n', 'a\r', 'a\r\n', 'a\r\nb\r\nc\n', 1],
  ['becomes a line feed in a CR file', 'a\rb\rc', '\r', '\n', 'a\nb\nc', 2],
  ['is written as given, the rest of the new text too', 'a\rb\rc\r', 'a\rb', 'x\ny\r\nz', 'x\ny\r\nz\rc\r', 1],
])('a lone carriage return means exactly that byte: %s', async (_, before, old_string, new_string, after, count) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { data } = await edit(project, old_string, new_string, { replace_all: true });
  expect([await project.text('a.txt'), data]).toEqual([after, expect.objectContaining({ replacements: count })]);
});

test('does not match a lone carriage return with another line ending, and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  const { content } = await edit(project, 'one\r', 'x', { replace_all: true });
  expect([content, await project.text('a.txt')]).toEqual([
    'old_string was not found in a.txt (0 matches). It has a carriage return without a line feed, which stands for that very byte. Send \\n for a line ending, whatever its kind.',
    'one\ntwo\n',
  ]);
});

test('prefers the line endings that were sent to other ones', async () => {
  const project = await temporaryProject({ 'a.txt': '\n\r\n\r\nx' });
  await edit(project, '\r\n\r\n', '', { replace_all: true });
  expect(await project.text('a.txt')).toBe('\nx');
});

test.each([
  ['after a return', 'a\rb\nc', 'b', '\nb', ['a', '', 'b', 'c']],
  ['before a line feed', 'a\rb\nc', 'a\nb', 'a\nb\n', ['a', 'b', '', 'c']],
])(
  'keeps a new line separate if its ending could merge with an adjacent one: %s',
  async (_, before, old, fresh, lines) => {
    const project = await temporaryProject({ 'a.txt': before });
    await edit(project, old, fresh);
    expect((await project.text('a.txt')).split(/\r\n|\r|\n/)).toEqual(lines);
  },
);

test('keeps track of the lines seen after edits of lone carriage returns', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\r\nb\r\nc\r\nd\r\n' });
  await project.run(readTool, { file_path: 'a.txt', limit: 2 });
  const run = (old_string: string, new_string: string) =>
    project.run(editTool, { file_path: 'a.txt', old_string, new_string });
  await run('a\r', 'a');
  await run('b\r', 'b\r\r');
  expect(await project.text('a.txt')).toBe('a\nb\r\r\nc\r\nd\r\n');
  expect((await run('c', 'C')).content).toMatch(/have not been read \(4; read so far: 1–3\)/);
});

test('passages that differ only in line endings are not unique, since the model cannot tell them apart', async () => {
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

test('changes one character of a file in a legacy encoding, and names the encoding that was guessed', async () => {
  const before = Buffer.from('caf\xe9 \x99\nna\xefve\nline\n', 'latin1');
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, 'line', 'LINE');
  expect(await project.bytes('a.txt')).toEqual(Buffer.from('caf\xe9 \x99\nna\xefve\nLINE\n', 'latin1'));
  expect(content).toMatch(/Its encoding is not marked and was taken for windows-1252/);
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'LINE', new_string: '👍' });
  expect(run.content).toMatch(/^a.txt is in windows-1252, and line 1 of the text holds "👍" .* Nothing was written\./);
});

test('matches straight quotes with typographic ones, keeps those of the file, and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'he said “don’t stop” and ‘left’\n' });
  const { content } = await edit(project, `"don't stop" and 'left'`, `"don't go" and then 'went'`);
  expect(await project.text('a.txt')).toBe('he said “don’t go” and then ‘went’\n');
  expect(content).toContain('matched after quote normalisation');
});

test('writes nothing if the file already has the quotes of new_string', async () => {
  const project = await temporaryProject({ 'a.txt': 'don’t\n' });
  expect((await edit(project, "don't", 'don’t')).content).toMatch(/^a.txt reads so already, so nothing was written\./);
});

test('replaces typographic quotes by straight ones if both are sent explicitly', async () => {
  const project = await temporaryProject({ 'a.txt': 'say ‘x’\n' });
  await edit(project, '‘x’', "'x'");
  expect(await project.text('a.txt')).toBe("say 'x'\n");
});

test('replaces all matches, or the expected number of them', async () => {
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

test('a text that overlaps itself is not unique', async () => {
  const project = await temporaryProject({ 'a.txt': 'aaa' });
  expect((await edit(project, 'aa', 'b')).content).toMatch(/occurs 2 times/);
});

test('stops counting matches at a limit', async () => {
  const project = await temporaryProject({ 'a.txt': 'a'.repeat(300_000) });
  expect((await edit(project, 'a', 'b')).content).toBe(
    'old_string occurs more than 1000 times in a.txt (lines 1 and more), so it is not unique. Add surrounding lines until it occurs once, or set replace_all to change all of them.',
  );
  expect((await edit(project, 'a', 'b', { expected_replacements: 2 })).content).toMatch(
    /^expected 2 replacements, found more than 1000 matches \(lines 1 and more/,
  );
});

test('refuses more replacements than one call can make', async () => {
  const project = await temporaryProject({ 'a.txt': 'a'.repeat(100_001) });
  const words =
    'old_string occurs more than 100000 times in a.txt, and one call replaces at most 100000. Nothing was written. Send a longer old_string, or use Bash, for example with sed.';
  expect((await edit(project, 'a', 'b', { replace_all: true })).content).toBe(words);
  expect((await edit(project, 'a', 'b', { expected_replacements: 100_001 })).content).toBe(words);
  await project.write('a.txt', 'a'.repeat(100_000));
  expect((await edit(project, 'a', 'b', { replace_all: true })).data).toMatchObject({ replacements: 100_000 });
  expect(await project.text('a.txt')).toBe('b'.repeat(100_000));
});

test('refuses replacements that would make the file too large', async () => {
  const project = await temporaryProject({ 'a.txt': 'a'.repeat(10_000) });
  const { content } = await edit(project, 'a', 'b'.repeat(100_000), { replace_all: true });
  expect(content).toMatch(
    /^10000 replacements would make a.txt 1000000000 characters long, and at most 67108864 can be written by this tool\. Nothing was written\./,
  );
});

test('finds a long self-overlapping text in linear time', async () => {
  const project = await temporaryProject({ 'a.txt': 'a'.repeat(4_000_000) });
  expect((await edit(project, 'a'.repeat(2_000_001), 'b')).content).toMatch(/^old_string occurs 2 times in a.txt/);
  expect((await edit(project, 'a'.repeat(1_000_000), 'b', { replace_all: true })).data).toMatchObject({
    replacements: 4,
  });
});

test('stops looking for the nearest text if that would take too long', async () => {
  const line = `${'abcdefghij'.repeat(20)}\n`;
  const project = await temporaryProject({ 'a.txt': line.repeat(60_000), 'b.txt': 'b\n' });
  const long = `${'abcdefghik'.repeat(100_000)}\n${'\n'.repeat(300_000)}x`;
  expect((await edit(project, long, 'x')).content).toMatch(/^old_string was not found in a.txt \(0 matches\)\./);
  const similar = `${'abcdefghik'.repeat(20)}\n`.repeat(20_000);
  expect((await edit(project, similar, 'x')).content).toMatch(/The nearest text is at lines 1–20000\./);
});

test('replaces many matches in one line without searching the end of the line each time', async () => {
  const project = await temporaryProject({ 'a.txt': `${'x,'.repeat(90_000)}\r\n` });
  await edit(project, 'x', 'y\nz', { replace_all: true });
  expect(await project.text('a.txt')).toBe(`${'y\r\nz,'.repeat(90_000)}\r\n`);
});

test('refuses contradictory input before reading the file', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  expect((await edit(project, 'x', 'x')).content).toBe(
    'old_string and new_string are identical, so there is nothing to do.',
  );
  expect((await edit(project, '', 'x', { replace_all: true })).content).toMatch(/^old_string is empty/);
  expect((await edit(project, 'one', '\ud83d')).content).toMatch(/half of a surrogate pair/);
});

test('refuses to create a file, fill an empty one or change a binary one', async () => {
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
      'a.txt has not been read in this session, so an edit could destroy unseen content. Read it, then send the edit again.',
    isError: true,
    failure: 'check_refused',
  });
  expect(await project.text('a.txt')).toBe('one\n');
});

test('edits lines that were read and refuses the others', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
  await project.run(readTool, { file_path: 'a.txt', offset: 1, limit: 2 });
  const run = (old_string: string, new_string: string) =>
    project.run(editTool, { file_path: 'a.txt', old_string, new_string });
  expect((await run('four', '4')).content).toMatch(/have not been read \(4; read so far: 1–2\)/);
  expect((await run('two', '2\n2b')).isError).toBe(false);
  expect((await run('2b', '2c')).isError).toBe(false);
  expect((await run('three', '3')).content).toMatch(/have not been read \(4; read so far: 1–3\)/);
});

const numbered = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => `this is line ${from + index}\n`).join('');

test('edits a unique, exact text in lines that were not read, since it cannot be a guess', async () => {
  const project = await temporaryProject({ 'a.txt': numbered(1, 60) });
  await project.run(readTool, { file_path: 'a.txt', limit: 5 });
  const run = (old_string: string, more = {}) =>
    project.run(editTool, { file_path: 'a.txt', old_string, new_string: 'x\ny\nz', ...more });
  expect((await run('this is line 41')).isError).toBe(false);
  expect(await project.text('a.txt')).toBe(numbered(1, 60).replace('this is line 41', 'x\ny\nz'));
  expect(project.engine.session.ledger.get(project.path('a.txt'))?.lines).toEqual([
    [1, 5],
    [41, 43],
  ]);
  // The lines above moved with it, and the edited lines are known.
  expect((await run('this is line 3')).content).toMatch(/occurs 11 times/);
  expect((await run('y\nz')).isError).toBe(false);
});

test.each([
  ['replace_all', 'this is line 41', { replace_all: true }],
  ['several replacements', 'this is line 4', { expected_replacements: 11 }],
  ['a short text', 'line 41\n', {}],
  ['another indentation', '  this is line 41\n  this is line 42', {}],
  ['other quotes', 'this is line ‘61’', {}],
])('refuses to edit lines that were not read if the text could be a guess: %s', async (_, old_string, more) => {
  const text = `${numbered(1, 60)}this is line '61'\n`;
  const project = await temporaryProject({ 'a.txt': text });
  await project.run(readTool, { file_path: 'a.txt', limit: 5 });
  const run = await project.run(editTool, { file_path: 'a.txt', old_string, new_string: '  x', ...more });
  expect(run.content).toMatch(/is in lines of a.txt that have not been read \(\d/);
  expect(await project.text('a.txt')).toBe(text);
});

test('edits only lines that were seen once another program has changed the file', async () => {
  const lines = numbered(1, 60);
  const project = await temporaryProject({ 'a.txt': lines });
  const read = (more = {}) => project.run(readTool, { file_path: 'a.txt', limit: 5, ...more });
  const run = (old_string: string) => project.run(editTool, { file_path: 'a.txt', old_string, new_string: 'edited' });
  await read();
  const theirs = lines.replace('line 30', 'the outside change');
  await project.write('a.txt', theirs);
  const since = /^a.txt changed on disk after it was read .*, and the edit does not fit what was read of it/;
  expect((await run('this is line 41')).content).toMatch(since);
  expect((await run('this is the outside change')).content).toMatch(since);
  expect(await project.text('a.txt')).toBe(theirs);
  // An edit of lines that were seen is merged. The lines merged in have still not been read.
  expect((await run('this is line 2\n')).isError).toBe(false);
  expect((await run('this is the outside change')).content).toMatch(/lines of a.txt that have not been read \(\d/);
  expect((await run('this is line 41')).content).toMatch(/lines of a.txt that have not been read \(\d/);
  await read();
  expect((await run('this is the outside change')).isError).toBe(false);
});

test('does not edit the same text in another place if another program removed the one that was read', async () => {
  const project = await temporaryProject({ 'a.txt': `a = 1\n${numbered(1, 60)}` });
  await project.run(readTool, { file_path: 'a.txt' });
  const theirs = `a = x\n${numbered(1, 60)}b = 1\n`
    .replaceAll('line 1\n', 'line one\n')
    .replace(/1(?=\d)|(?<=\d)1/g, '');
  await project.write('a.txt', theirs);
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'a = 1', new_string: 'a = 2' });
  expect(run.isError).toBe(true);
  const other = await project.run(editTool, { file_path: 'a.txt', old_string: ' = 1', new_string: ' = 2' });
  expect([other.isError, await project.text('a.txt')]).toEqual([true, theirs]);
});

test('refuses to edit a changed file if the ledger has not kept its bytes', async () => {
  const large = `${'x\n'.repeat(600_000)}a long line of text\n`;
  const project = await temporaryProject({ 'a.txt': large });
  await project.run(readTool, { file_path: 'a.txt', offset: 600_000 });
  await project.write('a.txt', `y\n${large}`);
  const edit = { file_path: 'a.txt', old_string: 'a long line of text', new_string: 'z' };
  expect((await project.run(editTool, edit)).content).toMatch(/, and what was read was not kept, so it is unclear/);
});

test('a new modification time alone does not count as a change', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await utimes(project.path('a.txt'), new Date(), new Date(Date.now() + 60_000));
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect([run.isError, await project.text('a.txt')]).toEqual([false, '1\n']);
});

test('edits a file that another program changed elsewhere, keeps that change and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'zero\none\ntwo\n');
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(await project.text('a.txt')).toBe('zero\none\n2\n');
  expect(run.content).toContain('The file had changed on disk since you read it');
});

test('merges an edit with a change elsewhere, even if its text is no longer unique, and names the other lines', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\ntwo\nthree\nfour\nFIVE\ntwo\n');
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(await project.text('a.txt')).toBe('one\n2\nthree\nfour\nFIVE\ntwo\n');
  expect(run.content).toContain('both changes were merged and the other one was kept. Not yours: lines 5–6.');
  // Lines from another program have not been seen by the model.
  const next = await project.run(editTool, { file_path: 'a.txt', old_string: 'three', new_string: '3' });
  expect([next.isError, await project.text('a.txt')]).toEqual([false, 'one\n2\n3\nfour\nFIVE\ntwo\n']);
});

test.each([
  ['merged', 'line 5\n', 'FIVE\n'],
  ['next to the edit, so that nothing can be merged', 'line 21\n', 'TWENTY-ONE\n'],
])('unchanged lines still count as seen after changes elsewhere: %s', async (_, theirs, becomes) => {
  const lines = Array.from({ length: 60 }, (__, index) => `line ${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': lines });
  await project.run(readTool, { file_path: 'a.txt' });
  const edit = async (old_string: string) =>
    (await project.run(editTool, { file_path: 'a.txt', old_string, new_string: old_string.toUpperCase() })).isError;
  await project.write('a.txt', `new\nnew\n${lines.replace(theirs, becomes)}`);
  expect(await edit('line 20\n')).toBe(false);
  await project.write('a.txt', (await project.text('a.txt')).replace('line 30\n', ''));
  expect(await edit('line 40\n')).toBe(false);
  expect([await edit('line 10\n'), await edit('line 50\n')]).toEqual([false, false]);
  const unseen = { file_path: 'a.txt', old_string: becomes, new_string: 'x\n' };
  const isShown = theirs === 'line 21\n'; // within the context lines of an edit
  expect((await project.run(editTool, unseen)).isError).toBe(!isShown);
});

test('reports that another program made the same change, or changed bytes but no line', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n', 'b.txt': 'one\ntwo\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  await project.write('a.txt', '1\ntwo\n');
  await project.write('b.txt', '\ufeffone\ntwo\n');
  const edit = async (file_path: string) =>
    (await project.run(editTool, { file_path, old_string: 'one', new_string: '1' })).content;
  expect(await edit('a.txt')).toMatch(
    /^a.txt reads so already, so nothing was written. The file had changed on disk since you read it: another program made the same change\.\n\nThe edited place:\n1\t1\n2\ttwo$/,
  );
  expect(await edit('b.txt')).toContain('its bytes had changed and none of its lines');
  expect(await project.text('b.txt')).toBe('\ufeff1\ntwo\n');
});

test('shows adjacent places once', async () => {
  const project = await temporaryProject({ 'a.txt': 'x x\nx\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const edit = { file_path: 'a.txt', old_string: 'x', new_string: 'y' };
  expect((await project.run(editTool, edit)).content).toMatch(/^old_string occurs 3 times in a.txt \(lines 1, 2\)/);
  expect((await project.run(editTool, { ...edit, replace_all: true })).content).toMatch(
    /^Edited a.txt: 3 replacements at lines 1, 2\.[\s\S]*\n\nThe edited place:\n1\ty y\n2\ty$/,
  );
});

test('names the characters that were sent and do not occur in the file', async () => {
  const project = await temporaryProject({ 'a.txt': 'caf\u00e9 one\nab two\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const refused = async (old_string: string) =>
    (await project.run(editTool, { file_path: 'a.txt', old_string, new_string: 'x' })).content;
  expect(await refused('cafe\u0301 one')).toContain(
    'differs in characters that look alike or are not seen (sent: U+0301)',
  );
  expect(await refused('a\u200bb two')).toContain('(sent: U+200B)');
});

const conflicting = async (answer: Answer) => {
  const questions: Question[] = [];
  const project = await temporaryProject(
    { 'a.txt': 'one\ntwo\nthree\n' },
    {
      askUser: async (asked) => {
        questions.push(...asked);
        return [answer];
      },
    },
  );
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\nTWO\nthree\n');
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  return { project, run, questions, text: await project.text('a.txt') };
};

test('asks what to do about a conflict', async () => {
  const { questions } = await conflicting({ chosen: ['Abort'] });
  expect(questions).toEqual([
    {
      header: 'Changed file',
      question: expect.stringMatching(
        /^a.txt changed on disk after the model read it \(read .*\) and the edit conflicts with that change at line 2\. What should be done\?$/,
      ),
      options: ['Overwrite', 'Abort', 'Read again', 'Write with conflict markers'].map((label) =>
        expect.objectContaining({ label }),
      ),
    },
  ]);
});

test('overwrites the other change if the person chooses that', async () => {
  const { run, text } = await conflicting({ chosen: ['Overwrite'] });
  expect([text, run.content]).toEqual(['one\n2\nthree\n', expect.stringContaining('the user chose to overwrite')]);
});

test('writes both versions with conflict markers if the person chooses that', async () => {
  const { run, text } = await conflicting({ chosen: ['Write with conflict markers'] });
  expect(text).toBe('one\n<<<<<<< yours\n2\n=======\nTWO\n>>>>>>> on disk\nthree\n');
  expect(run).toMatchObject({ isError: false, content: expect.stringContaining('git-style markers') });
});

test('reads the file again if the person chooses that, so that the next edit fits', async () => {
  const { project, run, text } = await conflicting({ chosen: ['Read again'] });
  expect([text, run.isError, run.content]).toEqual([
    'one\nTWO\nthree\n',
    true,
    expect.stringMatching(/chose to have it read again\. Nothing was written\..*\n1\tone\n2\tTWO\n3\tthree$/s),
  ]);
  await project.run(editTool, { file_path: 'a.txt', old_string: 'TWO', new_string: '2' });
  expect(await project.text('a.txt')).toBe('one\n2\nthree\n');
});

test('leaves the file unchanged if the person chooses that, or gives any other answer', async () => {
  const { run, text } = await conflicting({ chosen: [], text: 'I am working on it' });
  expect([text, run.content]).toEqual([
    'one\nTWO\nthree\n',
    'a.txt changed on disk after it was read, and the user chose to leave it as it is instead of making the edit and said: I am working on it. Nothing was written. Do not send it again; ask the user how to go on.',
  ]);
});

test('plans the edit again if the file changes between the check and the write', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const { changes } = project.engine.session;
  const apply = changes.apply.bind(changes);
  let times = 0;
  changes.apply = async (...call) => {
    times += 1;
    if (times === 1) await project.write('a.txt', 'one\ntwo\nTHREE\n');
    await apply(...call);
  };
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect([times, run.isError, await project.text('a.txt')]).toEqual([2, false, '1\ntwo\nTHREE\n']);
});

test('gives up on a file that changes on every attempt', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  project.engine.session.changes.apply = async () => {
    throw new StaleFile(project.path('a.txt'));
  };
  const run = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect(run.content).toMatch(
    /^a.txt changed again each time it was about to be written \(20 times\)\. Nothing was written\./,
  );
});

test('reports that a file which was read is now a directory or binary', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  await rm(project.path('a.txt'));
  await mkdir(project.path('a.txt'));
  await project.write('b.txt', Buffer.from('one\0'));
  const words = async (file_path: string) =>
    (await project.run(editTool, { file_path, old_string: 'one', new_string: '1' })).content;
  expect(await words('a.txt')).toMatch(/^a.txt is a directory now, not the file that was read \(read /);
  expect(await words('b.txt')).toMatch(/^b.txt is a binary file now, not the text that was read \(read /);
});

test('refuses notebooks and refers to NotebookEdit', async () => {
  const project = await temporaryProject({ 'a.ipynb': '{}' });
  const run = await project.run(editTool, { file_path: 'a.ipynb', old_string: '{', new_string: '[' });
  expect(run.content).toMatch(/^a.ipynb is a notebook, .* Use NotebookEdit to change its cells\.$/);
});

test('asks before it writes a secret, and names its line and kind', async () => {
  const reasons: string[] = [];
  const project = await temporaryProject(
    { 'a.txt': 'one\ntwo\n' },
    {
      askPermission: async ({ reason }) => {
        reasons.push(reason);
        return { behavior: 'deny' };
      },
    },
  );
  const run = await edit(project, 'two', `key = ${'ghp_'}${'a1B2'.repeat(9)}`);
  expect([run.failure, reasons, await project.text('a.txt')]).toEqual([
    'permission_denied',
    [expect.stringMatching(/at line 2 of a.txt/)],
    'one\ntwo\n',
  ]);
});

test('refuses a path that resolves to another file than the approved one', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'one\n' });
  await symlink('a.txt', project.path('link'));
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const call = { file_path: 'link', old_string: 'one', new_string: '1' };
  const approved = await project.effects(editTool, call);
  await rm(project.path('link'));
  await symlink('b.txt', project.path('link'));
  const accepted = editTool.accept(call);
  if (!accepted.ok) throw new Error('The input is right.');
  const context = project.engine.contextFor('call', new AbortController().signal, { effects: approved });
  await expect(accepted.call.run(context).next()).rejects.toThrow(
    `link now leads elsewhere (to ${project.path('b.txt')}) than when reading it was approved, so it was left alone.`,
  );
  expect(await project.text('b.txt')).toBe('one\n');
});

test('refuses an edit if another program changed the same lines, and writes nothing', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\nTWO\n');
  const { content } = await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: '2' });
  expect(content).toMatch(
    /^a.txt changed on disk after it was read \(read \d\d:\d\d:\d\d, modified \d\d:\d\d:\d\d\) and the edit conflicts with that change at line 2\. Nothing was written\. Read it again, then send an edit that fits\.\nBoth versions, between git-style markers:\none\n<<<<<<< yours\n2\n=======\nTWO\n>>>>>>> on disk\nNo user can choose here\. The choices are: read it again/,
  );
  expect(await project.text('a.txt')).toBe('one\nTWO\n');
});

test('refuses a file that was deleted after it was read', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await rm(project.path('a.txt'));
  const { content } = await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: '1' });
  expect(content).toMatch(/^a.txt does not exist any more: it was deleted or moved after it was read/);
});

test('shows the nearest text and how it differs', async () => {
  const project = await temporaryProject({ 'a.txt': 'function a() {\n\treturn 1;\n}\n' });
  expect((await edit(project, '   return 1;\n  }', 'x')).content).toBe(
    'old_string was not found in a.txt (0 matches). The nearest text is at lines 2–3 and differs in indentation (tab, not 3 spaces). Copy the text exactly as in the file:\n2\t\treturn 1;\n3\t}\nSent and in the file (→ is a tab, · a blank):\n2 sent: ···return·1;\n2 file: →return·1;\n3 sent: ··}\n3 file: }',
  );
  expect((await edit(project, 'Function a() {', 'x')).content).toMatch(/at line 1 and differs in upper and lower case/);
  expect((await edit(project, 'nothing like it', 'x')).content).toMatch(/No passage of the file is similar to it/);
});

test.each([
  [
    'an invisible character',
    'a\u200bb\n',
    'ab',
    /line 1 and differs in characters .* \(U\+200B\).*\n1 file: a\[U\+200B\]b/s,
  ],
  ['a no-break space', 'x = 1\na\u00a0b c\n', 'a b c', /line 2 and differs in characters .* \(U\+00A0\)/],
  ['another normal form', 'cafe\u0301\n', 'caf\u00e9', /line 1 and differs in characters .* \(U\+0301\)/],
  ['one letter of a short word', 'x = foo + 1\ny = 2\n', 'fo0', /The nearest text is at line 1\./],
  [
    'escapes written out',
    'one\n\ttwo "x"\n',
    'one\\n\\ttwo \\"x\\"',
    /It holds escapes that are written out.*:\none\n\ttwo "x"$/s,
  ],
  ['an escaped dollar', 'x = "$name"\n', '\\$name', /It holds escapes that are written out.*:\n\$name$/s],
  ['entities', 'if (a < b) {}\n', 'a &lt; b', /It holds entities.*:\na < b$/s],
])('explains a text that differs by %s', async (_, before, old_string, words) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, old_string, 'x');
  expect([content, await project.text('a.txt')]).toEqual([expect.stringMatching(words), before]);
});

test('tells a model that sends the same failing edit a third time to read the file first', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const send = async () =>
    (await project.run(editTool, { file_path: 'a.txt', old_string: 'two', new_string: 'x' })).content;
  expect([await send(), await send()]).toEqual(Array(2).fill(expect.stringMatching(/^old_string was not found/)));
  expect(await send()).toMatch(
    /^This is the third time that this very change of a.txt fails, so stop sending it: it will fail again\. Read a.txt, then/,
  );
  await project.run(readTool, { file_path: 'a.txt' });
  expect(await send()).toMatch(/^old_string was not found/);
});

test.each([
  [
    'tabs for blanks',
    'if a:\n\tb()\n\n\tif c:\n\t\td()\n',
    '    if c:\n        d()',
    '    if c:\n        e()\n        f()',
    'if a:\n\tb()\n\n\tif c:\n\t\te()\n\t\tf()\n',
    /one tab for 4 blanks/,
  ],
  [
    'blanks for tabs',
    'a {\r\n  b\r\n}\r\n',
    'a {\n\tb\n}',
    'a {\n\tc\n\t\td\n}',
    'a {\r\n  c\r\n    d\r\n}\r\n',
    /2 blanks for one tab/,
  ],
  ['deeper', 'x\n    a\n      b\n', 'a\n  b\n', 'a\n  c\n\nd\n', 'x\n    a\n      c\n\n    d\n', /deeper by 4 blanks/],
  ['less deep', 'a\n  b\nx\n', '    a\n      b', '    a\n      c', 'a\n  c\nx\n', /less deep by 4 blanks/],
])(
  'matches a text with another indentation if all lines differ in the same way: %s',
  async (_, before, old, fresh, after, words) => {
    const project = await temporaryProject({ 'a.txt': before });
    const { content } = await edit(project, old, fresh);
    expect([await project.text('a.txt'), content]).toEqual([after, expect.stringMatching(words)]);
  },
);

test.each([
  ['lines that are not indented alike', '\ta\n\t\tb\n', '    a\n    b', 'x'],
  ['more than one place', '\ta\n\tb\nx\n\ta\n\tb\n', '    a\n    b', 'x'],
  ['new lines that cannot be outdented', 'a\nb\n', '    a\n    b', '    a\nc'],
  ['blanks inside a line', '\ta  = 1\n', '    a = 1', 'x'],
])('does not match a text with another indentation: %s', async (_, before, old_string, new_string) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, old_string, new_string, { replace_all: true });
  expect([content, await project.text('a.txt')]).toEqual([expect.stringMatching(/^old_string was not found/), before]);
});

test.each([
  ['deeper', 'x\n    a\n      b\n', 'a\n  b', '    a\n      c\n    d', 'x\n    a\n      c\n    d\n'],
  ['less deep', 'a\n  b\nx\n', '    a\n      b', 'a\n  c', 'a\n  c\nx\n'],
  ['tabs', '\tif c:\n\t\td()\n', '    if c:\n        d()', '\tif c:\n\t\te()', '\tif c:\n\t\te()\n'],
])(
  'does not reindent a new text that already has the indentation of the file: %s',
  async (_, before, old, fresh, after) => {
    const project = await temporaryProject({ 'a.txt': before });
    const { content } = await edit(project, old, fresh);
    expect([await project.text('a.txt'), content]).toEqual([
      after,
      expect.stringContaining('new_string has it already'),
    ]);
  },
);

test.each([
  ['a line', 'a\nb\nc\n', 'b', {}, 'a\nc\n'],
  ['several lines', 'a\r\nb\r\nc\r\nd\r\n', 'b\nc', {}, 'a\r\nd\r\n'],
  ['all lines with the text', 'a\nb\na\nc\n', 'a', { replace_all: true }, 'b\nc\n'],
  ['a line that was sent with another indentation', 'a\n\tlong line\nc\n', '    long line', {}, 'a\nc\n'],
  ['the last line, which has no ending', 'a\nb', 'b', {}, 'a\n'],
  ['a part of a line', 'a b\nc\n', 'a b'.slice(1), {}, 'a\nc\n'],
  ['lines with their ending', 'a\n\nb\n', 'a\n', {}, '\nb\n'],
  ['the start of a line', 'ab\nc\n', 'a', {}, 'b\nc\n'],
  ['several matches, one of which is part of a line', 'a\nab\n', 'a', { replace_all: true }, '\nb\n'],
])(
  'deletes whole lines with their ending, and only the text itself otherwise: %s',
  async (_, before, old, more, after) => {
    const project = await temporaryProject({ 'a.txt': before });
    await edit(project, old, '', more);
    expect(await project.text('a.txt')).toBe(after);
  },
);

test.each([
  ['in the file', 'one();  \ntwo();\t\nthree();\n', 'one();\ntwo();', 'one();\n2();', 'one();  \n2();\nthree();\n'],
  ['in old_string', 'one();\ntwo();\n', 'one();  \ntwo(); ', '1();\n2();', '1();\n2();\n'],
  ['in unchanged lines', 'a = 1\nb  \n\t\nc\n', 'a = 1\nb\n\nc', 'a = 2\nb\n\nc', 'a = 2\nb  \n\t\nc\n'],
  ['in the first line', 'one  \ntwo\nthree\n', 'one\ntwo\nthree', 'zero\none\ntwo\nthree', 'zero\none  \ntwo\nthree\n'],
  ['in the last line', 'one \ntwo  \n', 'one\ntwo', '1\ntwo', '1\ntwo  \n'],
  ['in the first line of old_string', 'a\nfoobar\n', 'a \nfoo', 'a \nFOO', 'a\nFOObar\n'],
  ['before a part of a line', 'def f():\n    x\n', '    \n    x', '    \n    y', 'def f():\n    y\n'],
  ['in parts of lines', 'f(one, \n  two)\n', 'one,\n  t', '1,\n  T', 'f(1,\n  Two)\n'],
  ['and deletes', 'a\nsome words  \nmore words\nb\n', 'some words\nmore words', '', 'a\nb\n'],
])('ignores trailing whitespace if only one place matches: %s', async (_, before, old, fresh, after) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, old, fresh);
  expect([await project.text('a.txt'), content]).toEqual([
    after,
    expect.stringContaining('blanks at the ends of lines'),
  ]);
});

test.each([
  ['two places', 'one();  \ntwo();\nx\none(); \ntwo();\n', 'one();\ntwo();'],
  ['blanks inside a line', 'one(a,  b);\n', 'one(a, b);'],
  ['the end of another word', 'timeout = 130\nretries = 30;\n', '30 '],
  ['the end of a word, and the next line', 'valid  \nnext\n', 'id\nnext'],
  ['the end of a line', 'timeout = 30\nretries = 30;\n', '30 '],
  ['blanks at the start and at the end', '  one();  \ntwo();\n', 'one();\n  two();'],
])('does not ignore other whitespace, or match more than one place: %s', async (_, before, old_string) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(project, old_string, 'x', { replace_all: true });
  expect([content, await project.text('a.txt')]).toEqual([expect.stringMatching(/^old_string was not found/), before]);
});

test.each([
  ['blanks at line ends', 'A\nk = 1\n', 'A \nk = 1'],
  ['indentation', '  A\n    k = 1\n', 'A\n  k = 1'],
])(
  'refuses a text with different %s if its lines occur too often to check that it is unique',
  async (_, place, old) => {
    const before = `${place}${'    k = 1\n'.repeat(10_001)}${place}`;
    const project = await temporaryProject({ 'a.txt': before });
    await project.run(readTool, { file_path: 'a.txt' });
    await project.run(readTool, { file_path: 'a.txt', offset: 10_000 });
    const { content } = await edit(project, old, 'B');
    expect([content, await project.text('a.txt')]).toEqual([
      expect.stringMatching(/^old_string was not found/),
      before,
    ]);
  },
);

test('shows the place of one matching line if no passage is similar to the whole text', async () => {
  const before = 'function calculate(a, b) {\n  const temp = a + b;\n  return temp * 2;\n}\n';
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await edit(
    project,
    'function calculate(a, b) {\n  // something else entirely\n  // more of that\n}',
    'x',
  );
  expect(content).toContain(
    'The nearest text is at lines 1–4. Copy the text exactly as in the file:\n1\tfunction calculate(a, b) {\n',
  );
});

test('shows the current text of a file that a command changed if an edit matches only that', async () => {
  const project = await temporaryProject({ 'a.txt': 'const port = 80;\nlisten(port);\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'const port = 8080;\nlisten(port);\n');
  const run = await project.run(editTool, {
    file_path: 'a.txt',
    old_string: 'const port = 8080;',
    new_string: 'const port = 9090;',
  });
  expect(run.content).toMatch(
    /^a.txt changed on disk after it was read \(.*\), and the edit does not fit what was read of it\. Nothing was written\. Read it again, then send the edit again\. The place reads now:\n1\tconst port = 8080;$/,
  );
});

test('names the newline that is missing at the end of the file', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo' });
  expect((await edit(project, 'two\n', '2\n')).content).toBe(
    'old_string was not found in a.txt (0 matches). It ends with a line break, and the last line of a.txt (2) has none: the file has no newline at its end. Send it without the last line break.',
  );
});

test('warns about a placeholder line for omitted code', async () => {
  const project = await temporaryProject({ 'a.txt': 'a();\nb();\nc();\n// ... other things\n' });
  const warning = /Warning: new_string holds the line "\/\/ ... existing code ...", which was written as it stands/;
  expect((await edit(project, 'a();\nb();', 'A();\n  // ... existing code ...')).content).toMatch(warning);
  expect((await edit(project, 'c();', 'C(...existing);')).content).not.toContain('Warning');
  expect((await edit(project, 'C', 'D')).content).not.toContain('Warning');
  expect((await edit(project, 'things', 'words')).content).not.toContain('Warning');
});

test('refers to Write, with its input, if the file does not exist', async () => {
  const project = await temporaryProject();
  const run = async (new_string: string) =>
    await project.run(editTool, { file_path: 'new.txt', old_string: '', new_string });
  expect(await run('one\n"two"\n')).toMatchObject({
    isError: true,
    content: `new.txt does not exist, and an edit makes no file. Nothing was written. To make it, call Write with this input:\n${JSON.stringify({ file_path: project.path('new.txt'), content: 'one\n"two"\n' })}`,
  });
  expect((await run('x'.repeat(5_000))).content).toMatch(/"content":…\} with your new_string as content$/);
});

test('recognises line numbers from Read in old_string', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  expect((await edit(project, '1\tone\n2\ttwo', 'x')).content).toBe(
    'old_string carries line-number prefixes from Read\'s output ("1\\t"). Send it without them:\none\ntwo',
  );
  expect((await edit(project, '     2→twoo', 'x')).content).toMatch(
    /was not found in a.txt either \(0 matches\)\. The file's text there is:\n2\ttwo\n/,
  );
});

test('keeps the file mode, writes through a symlink and names its target', async () => {
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

const anyText = fc
  .array(fc.constantFrom('a', 'é', '👍', '\n', '\r\n', '\r', '’', '\t'), { maxLength: 12 })
  .map((all) => all.join(''));

test('changes only the matched place, for any file content', async () => {
  await fc.assert(
    fc.asyncProperty(anyText, anyText, anyText, async (before, after, fresh) => {
      const project = await temporaryProject({ 'a.txt': `${before}<X>${after}` });
      const sent = fresh.replaceAll('\r\n', '\n');
      await edit(project, '<X>', `<${sent}>`);
      const result = await project.text('a.txt');
      expect(result.startsWith(`${before}<`)).toBe(true);
      expect(result.endsWith(`>${after}`)).toBe(true);
      const written = result.slice(before.length + 1, result.length - after.length - 1);
      expect(withLineFeeds(written)).toBe(withLineFeeds(sent));
    }),
    { numRuns: 60 },
  );
});

const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');

const endings = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { minLength: 1, maxLength: 10 })
  .map((all) => all.join(''));
const piece = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r'), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));

test('changes exactly the matched bytes, for any start and end of old_string', async () => {
  await fc.assert(
    fc.asyncProperty(endings, piece, async (before, old_string) => {
      const project = await temporaryProject({ 'a.txt': before });
      const { isError } = await edit(project, old_string, '#', { replace_all: true });
      const after = await project.text('a.txt');
      const hasLoneReturn = /\r(?!\n)/.test(old_string);
      if (isError) expect(after).toBe(before);
      else if (hasLoneReturn) expect(after).toBe(before.replaceAll(old_string, '#'));
      else {
        // Each # stands for text that looks the same as old_string, and the rest is unchanged.
        let rest = before;
        for (const [index, kept] of after.split('#').entries()) {
          const replaced = index === 0 ? '' : rest.slice(0, endOf(rest, old_string));
          expect(withLineFeeds(replaced)).toBe(index === 0 ? '' : withLineFeeds(old_string));
          expect(rest.slice(replaced.length).startsWith(kept)).toBe(true);
          rest = rest.slice(replaced.length + kept.length);
        }
        expect(rest).toBe('');
      }
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 5_000 : 120 },
  );
});

/** The end of the first text that looks like the wanted one; a line ending of two characters is never split. */
function endOf(text: string, wanted: string): number {
  let at = 0;
  for (const character of withLineFeeds(wanted)) {
    at += character === '\n' && text.startsWith('\r\n', at) ? 2 : 1;
  }
  return at;
}
