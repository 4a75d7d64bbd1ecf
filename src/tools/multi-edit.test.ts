import { link } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TestProject, type ToolRun, temporaryProject } from '../testing/temporary-project.js';
import { multiEditTool } from './multi-edit.js';
import { readTool } from './read.js';

type Edit = [old_string: string, new_string: string, more?: object];

async function multiEdit(project: TestProject, ...edits: Edit[]): Promise<ToolRun> {
  await project.run(readTool, { file_path: 'a.txt' });
  return await project.run(multiEditTool, { file_path: 'a.txt', edits: edits.map(asEdit) });
}

const asEdit = ([old_string, new_string, more]: Edit) => ({ old_string, new_string, ...more });

test('applies the edits in order and returns the diff and the places', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\r\ntwo\r\nthree\r\n' });
  const { content, display } = await multiEdit(project, ['one\ntwo', '1\n2'], ['three', '3\n4']);
  expect(await project.text('a.txt')).toBe('1\r\n2\r\n3\r\n4\r\n');
  expect(content).toBe(
    'Edited a.txt: 2 edits, 2 replacements.\n\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,4 @@\n-one\n-two\n-three\n+1\n+2\n+3\n+4\n\nThe edited place:\n1\t1\n2\t2\n3\t3\n4\t4',
  );
  expect(display).toMatchObject({ title: 'a.txt', facts: ['2 edits'], body: { type: 'diff', path: 'a.txt' } });
});

test.each<[string, string, Edit[], string]>([
  [
    'text that an earlier edit put there',
    'a\n',
    [
      ['a', 'bcd'],
      ['c', 'x'],
    ],
    'bxd\n',
  ],
  [
    'all text from an earlier edit, with text around it',
    'a z\n',
    [
      ['a', 'b'],
      ['b z', 'c'],
    ],
    'c\n',
  ],
  [
    'text around a place where an earlier edit removed text',
    'abc\n',
    [
      ['b', ''],
      ['ac', 'x'],
    ],
    'x\n',
  ],
  [
    'a chain',
    'a\n',
    [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
    ],
    'd\n',
  ],
  [
    'several places, then one of them',
    'x\nx\n',
    [
      ['x', 'y1', { replace_all: true }],
      ['y1\ny1', 'z'],
    ],
    'z\n',
  ],
  [
    'lines next to each other',
    'a\nb\n',
    [
      ['a\n', 'A\n'],
      ['b\n', 'B\n'],
    ],
    'A\nB\n',
  ],
  [
    'lines that are deleted',
    'a\nb\nc\n',
    [
      ['a', ''],
      ['b', ''],
    ],
    'c\n',
  ],
  [
    'as many as are expected',
    'x x\n',
    [
      ['x', 'y', { expected_replacements: 2 }],
      ['y y', 'z'],
    ],
    'z\n',
  ],
])('edits %s', async (_, before, edits, after) => {
  const project = await temporaryProject({ 'a.txt': before });
  const run = await multiEdit(project, ...edits);
  expect([run.isError, await project.text('a.txt')]).toEqual([false, after]);
});

test.each<[string, string, Edit[], string | RegExp]>([
  [
    'an overlap',
    'one\na b c\n',
    [
      ['a b', 'x b'],
      ['b c', 'b y'],
    ],
    'edits 1 and 2 overlap (conflict) at line 2. Nothing was written. Merge them into one edit.',
  ],
  [
    'an overlap with text that is gone',
    'a b c\n',
    [
      ['a b', 'x'],
      ['b c', 'y'],
    ],
    'edits 1 and 2 overlap (conflict) at line 1. Nothing was written. Merge them into one edit.',
  ],
  [
    'a contradiction',
    'one\nfoo\n',
    [
      ['foo', 'bar'],
      ['foo', 'baz'],
    ],
    'edits 1 and 2 contradict each other (conflict) at line 2: they turn the same text into different things. Nothing was written. Keep one of them.',
  ],
  [
    'a contradiction in text that is still there',
    'foo\n',
    [
      ['foo', 'foobar'],
      ['foo', 'baz'],
    ],
    /^edits 1 and 2 contradict each other \(conflict\) at line 1/,
  ],
  [
    'the same edit twice',
    'foo\n',
    [
      ['foo', 'bar'],
      ['foo', 'bar'],
    ],
    /^edits 1 and 2 are the same \(conflict\) at line 1/,
  ],
  [
    'the wrong order',
    'a\n',
    [
      ['b', 'c'],
      ['a', 'b'],
    ],
    'edits 1 and 2 are in the wrong order (conflict): old_string of edit 1 was not found in a.txt (0 matches), since only edit 2 puts that text there. Nothing was written. Send edit 2 before edit 1.',
  ],
  [
    'the wrong order if an edit produces only part of the text',
    'x a y\n',
    [
      ['b y', 'c'],
      ['a', 'b'],
    ],
    /^edits 1 and 2 are in the wrong order \(conflict\)/,
  ],
  [
    'a text that is not there',
    'a\nb\n',
    [
      ['a', 'A'],
      ['zzz', 'x'],
    ],
    /^edit 2: old_string was not found in a.txt \(0 matches\)/,
  ],
  [
    'a text that is not unique',
    'a\nb b\n',
    [
      ['a', 'A'],
      ['b', 'x'],
    ],
    /^edit 2: old_string occurs 2 times in a.txt \(line 2\)/,
  ],
  [
    'a wrong number',
    'a\nb\n',
    [
      ['a', 'A'],
      ['b', 'x', { expected_replacements: 2 }],
    ],
    /^edit 2: expected 2 replacements, found 1 match/,
  ],
  [
    'an edit without a change',
    'a\n',
    [
      ['a', 'A'],
      ['b', 'b'],
    ],
    /^edit 2: old_string and new_string are identical/,
  ],
  [
    'an empty text',
    'a\n',
    [
      ['a', 'A'],
      ['', 'b'],
    ],
    /^edit 2: old_string is empty/,
  ],
])('refuses %s and writes nothing', async (_, before, edits, words) => {
  const project = await temporaryProject({ 'a.txt': before });
  const run = await multiEdit(project, ...edits);
  expect(run).toMatchObject({
    content: typeof words === 'string' ? words : expect.stringMatching(words),
    failure: 'check_refused',
  });
  expect(await project.text('a.txt')).toBe(before);
});

test('changes either all files or none', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const run = (old_string: string) =>
    project.run(multiEditTool, {
      path: 'a.txt',
      edits: [
        { old_string: 'one', new_string: '1' },
        { old_string, new_string: '2', path: 'b.txt' },
      ],
    });
  const texts = () => Promise.all(['a.txt', 'b.txt'].map(project.text));
  expect([(await run('three')).content, await texts()]).toEqual([
    expect.stringMatching(/^edit 2: old_string was not found in b.txt/),
    ['one\n', 'two\n'],
  ]);
  expect([(await run('two')).content, await texts()]).toEqual([
    expect.stringMatching(/^Edited a.txt: .*\.\nEdited b.txt: /),
    ['1\n', '2\n'],
  ]);
});

test('declares a read and a write of every file once', async () => {
  const project = await temporaryProject({ 'a.txt': 'x', 'b.txt': 'x' });
  const edits = [asEdit(['x', 'y']), asEdit(['x', 'z']), asEdit(['x', 'y', { file_path: 'b.txt' }])];
  const effects = await project.effects(multiEditTool, { file_path: 'a.txt', edits });
  const files = effects.flatMap((effect) => (effect.kind === 'file' ? [`${effect.access} ${effect.path}`] : []));
  expect(files.toSorted()).toEqual(
    ['a.txt', 'b.txt'].flatMap((name) => [`read ${project.path(name)}`, `write ${project.path(name)}`]).toSorted(),
  );
});

test('keeps track of the lines seen while earlier edits move them', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
  await project.run(readTool, { file_path: 'a.txt', limit: 2 });
  const run = (...edits: Edit[]) => project.run(multiEditTool, { file_path: 'a.txt', edits: edits.map(asEdit) });
  expect((await run(['one', '1\n1b'], ['three', '3'])).content).toMatch(
    /^edit 2: old_string is in lines of a.txt that have not been read \(4; read so far: 1–3\)/,
  );
  expect((await run(['one', '1\n1b'], ['two', '2'])).isError).toBe(false);
});

test('changes a file under all its hard links, and says how many there are', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await link(project.path('a.txt'), project.path('b.txt'));
  const { content } = await multiEdit(project, ['one', '1']);
  expect(content).toContain('a.txt has 2 names (hard links); all of them show the change.');
  expect([await project.text('a.txt'), await project.text('b.txt')]).toEqual(['1\n', '1\n']);
});

test('accepts edits as a JSON string, or a single edit without a list', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.run(multiEditTool, { file_path: 'a.txt', edits: JSON.stringify([asEdit(['one', 'two'])]) });
  await project.run(multiEditTool, { file_path: 'a.txt', edits: asEdit(['two', 'three']) });
  expect(await project.text('a.txt')).toBe('three\n');
});

const word = fc.stringMatching(/^[a-d]{1,2}$/);

test('either applies all edits one after another, or leaves the file unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 4 }),
      async (words, pairs) => {
        const before = `${words.join(' ')}\r\n`;
        const project = await temporaryProject({ 'a.txt': before });
        const run = await multiEdit(project, ...pairs);
        const oneByOne = pairs.reduce((text, [old, fresh]) => text.replace(old, () => fresh), before);
        expect(await project.text('a.txt')).toBe(run.isError ? before : oneByOne);
      },
    ),
    { numRuns: 100 },
  );
});
