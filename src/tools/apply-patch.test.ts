import { chmod, lstat, mkdir, readdir, stat, symlink } from 'node:fs/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type TestProject, type ToolRun, temporaryProject } from '../testing/temporary-project.js';
import { applyPatchTool } from './apply-patch.js';
import { editTool } from './edit.js';
import { readTool } from './read.js';

const patch = (...lines: string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');

const apply = (project: TestProject, ...lines: string[]): Promise<ToolRun> =>
  project.run(applyPatchTool, { input: patch(...lines) });

/** Reads a.txt, then updates it. */
async function update(project: TestProject, ...lines: string[]): Promise<ToolRun> {
  await project.run(readTool, { file_path: 'a.txt' });
  return apply(project, '*** Update File: a.txt', ...lines);
}

async function updated(before: string, ...lines: string[]): Promise<string> {
  const project = await temporaryProject({ 'a.txt': before });
  const { isError, content } = await update(project, ...lines);
  return isError ? String(content) : await project.text('a.txt');
}

test('changes several places in one file and returns the diff and the places', async () => {
  const lines = Array.from({ length: 30 }, (_, index) => `l${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': lines });
  const run = await update(project, '@@', ' l2', '-l3', '+three', '+3b', ' l4', '@@', '-l25', ' l26');
  expect(await project.text('a.txt')).toBe(lines.replace('l3\n', 'three\n3b\n').replace('l25\n', ''));
  const difference = `--- a/a.txt
+++ b/a.txt
@@ -1,6 +1,7 @@
 l1
 l2
-l3
+three
+3b
 l4
 l5
 l6
@@ -22,7 +23,6 @@
 l22
 l23
 l24
-l25
 l26
 l27
 l28`;
  expect(run.content).toBe(`Edited a.txt: 2 places at lines 3, 26.

${difference}

The edited places:
1\tl1
2\tl2
3\tthree
4\t3b
5\tl4
6\tl5
7\tl6
8\tl7
9\tl8
…
21\tl20
22\tl21
23\tl22
24\tl23
25\tl24
26\tl26
27\tl27
28\tl28
29\tl29
30\tl30`);
  expect(run.display).toEqual({
    action: 'Patch',
    title: 'a.txt',
    facts: [],
    body: { type: 'diff', path: 'a.txt', patch: difference },
  });
});

test('adds, updates, moves and deletes files in one call', async () => {
  const project = await temporaryProject({
    'a.txt': 'one\n',
    'b.txt': 'two\nthree\n',
    'c.sh': 'four\n',
    'd.txt': 'd\n',
  });
  await chmod(project.path('c.sh'), 0o751);
  for (const file_path of ['a.txt', 'b.txt', 'c.sh', 'd.txt']) await project.run(readTool, { file_path });
  const run = await apply(
    project,
    '*** Add File: new/deep/e.txt',
    '+five',
    '+',
    '+six',
    '*** Update File: a.txt',
    '@@',
    '-one',
    '+1',
    '*** Delete File: b.txt',
    '*** Update File: c.sh',
    '*** Move to: bin/run.sh',
    '@@',
    '-four',
    '+4',
    '*** Update File: d.txt',
    '*** Move to: moved.txt',
  );
  expect(run.content).toBe(`Created new/deep/e.txt (3 lines).
Edited a.txt: 1 place at line 1.
Deleted b.txt (2 lines).
Moved c.sh to bin/run.sh: 1 place at line 1.
Moved d.txt to moved.txt.

--- a/a.txt
+++ b/a.txt
@@ -1,1 +1,1 @@
-one
+1

--- a/bin/run.sh
+++ b/bin/run.sh
@@ -1,1 +1,1 @@
-four
+4

a.txt: The edited place:
1\t1

bin/run.sh: The edited place:
1\t4`);
  expect((await readdir(project.root, { recursive: true })).toSorted()).toEqual(
    ['a.txt', 'bin', 'bin/run.sh', 'moved.txt', 'new', 'new/deep', 'new/deep/e.txt'].toSorted(),
  );
  expect(await Promise.all(['a.txt', 'bin/run.sh', 'moved.txt', 'new/deep/e.txt'].map(project.text))).toEqual([
    '1\n',
    '4\n',
    'd\n',
    'five\n\nsix\n',
  ]);
  expect((await stat(project.path('bin/run.sh'))).mode & 0o777).toBe(0o751);
});

test('files that a patch wrote can be edited without reading them', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const lines = ['*** Add File: c.txt', '+x', '*** Update File: a.txt', '-one', '+x', '*** Update File: b.txt'];
  await apply(project, ...lines, '*** Move to: d.txt', '-two', '+x');
  for (const file_path of ['a.txt', 'c.txt', 'd.txt']) {
    expect(await project.run(editTool, { file_path, old_string: 'x', new_string: 'y' })).toMatchObject({
      isError: false,
    });
  }
});

test('accepts the patch under the other name of its field', async () => {
  const project = await temporaryProject();
  await project.run(applyPatchTool, { patch: patch('*** Add File: a.txt', '+x') });
  expect(await project.text('a.txt')).toBe('x\n');
});

test.each([
  ['replaces a line', 'a\nb\nc\n', ['-b', '+B'], 'a\nB\nc\n'],
  ['removes lines with their endings', 'a\nb\nc\nd\n', [' a', '-b', '-c'], 'a\nd\n'],
  ['removes the last line', 'a\nb\n', ['-b'], 'a\n'],
  ['removes all lines', 'a\nb\n', ['-a', '-b'], ''],
  ['adds above the first line', 'a\nb\n', ['+x', ' a'], 'x\na\nb\n'],
  ['adds below the last line', 'a\nb\n', [' b', '+x'], 'a\nb\nx\n'],
  ['adds at the end without context', 'a\nb\n', ['@@', '+x', '+y'], 'a\nb\nx\ny\n'],
  ['adds at the end if the patch ends with an empty line', 'a\n\nb\n', ['@@', '+x', ''], 'a\n\nb\nx\n'],
  ['adds to an empty file', '', ['+x', '+y'], 'x\ny\n'],
  ['adds below the @@ line', 'a\nb\n', ['@@ a', '+x'], 'a\nx\nb\n'],
  ['adds at the end despite an @@ line', 'a\nb\n', ['@@ a', '+x', '*** End of File'], 'a\nb\nx\n'],
  ['applies several changes of one hunk', 'a\nb\nc\nd\n', ['-a', ' b', '-c', '+C', ' d', '+e'], 'b\nC\nd\ne\n'],
  ['keeps a missing last line ending missing: replace', 'a\nb', ['-b', '+B'], 'a\nB'],
  ['keeps a missing last line ending missing: add', 'a\nb', [' b', '+c'], 'a\nb\nc'],
  ['keeps a missing last line ending missing: remove', 'a\nb\nc', ['-b', '-c'], 'a'],
  ['keeps a missing last line ending missing: remove all', 'a', ['-a'], ''],
  ['gives the last line an ending when the patch says so', 'a\nb', [' b', '+'], 'a\nb\n'],
  ['keeps CRLF', 'a\r\nb\r\nc', ['-b', '+B', '+x', ' c', '+d'], 'a\r\nB\r\nx\r\nc\r\nd'],
  ['keeps CRLF when it adds at an end without one', 'a\r\nb', ['+c'], 'a\r\nb\r\nc'],
  ['keeps CR', 'a\rb\rc\r', ['-b', '+B', '+x'], 'a\rB\rx\rc\r'],
  ['keeps each ending of a mixed file', 'a\nb\r\nc\nd\r\n', [' a', '-b', '+B', ' c', '-d', '+D'], 'a\nB\r\nc\nD\r\n'],
  ['keeps a line that is removed and added again', 'a\r\nb\n', ['-a', '+a', '-b', '+B'], 'a\r\nB\n'],
  ['matches whole lines only', 'aa\nba\na\na\n', [' a', '-a', '+x'], 'aa\nba\na\nx\n'],
  [
    'matches straight quotes with typographic ones and keeps the latter',
    '“a”\nit’s\n',
    [' "a"', "-it's", "+it's me"],
    '“a”\nit’s me\n',
  ],
  ['keeps the quotes of context lines', '"a"\nb\n‘c’\n', [' “a”', '-b', '+B', " 'c'"], '"a"\nB\n‘c’\n'],
  ['ignores an empty line at the end that the file does not have', 'a\nb\n', ['-a', '+A', ''], 'A\nb\n'],
  ['writes $& literally', 'a\n', ['-a', '+$& $1'], '$& $1\n'],
])('%s', async (_, before, lines, after) => {
  expect(await updated(before, ...lines)).toBe(after);
});

const twoClasses =
  'class A:\n  def run():\n    x = 1\n\nclass B:\n  def run():\n    x = 1\n\n  def stop():\n    x = 1\n';

test.each([
  ['the class in which it is unique', ['@@ class B:', '   def run():', '-    x = 1', '+    x = 2'], 7],
  ['the block that the @@ line opens', ['@@ class A:', '-    x = 1', '+    x = 2'], 3],
  ['@@ lines from the outermost to the innermost', ['@@ class B:', '@@ def run():', '-    x = 1', '+    x = 2'], 7],
  ['an @@ line that is repeated as context', ['@@   def stop():', '   def stop():', '-    x = 1', '+    x = 2'], 10],
  ['the end of the file', ['-    x = 1', '+    x = 2', '*** End of File'], 10],
])('finds the place by %s', async (_, lines, number) => {
  const after = twoClasses.split('\n').with(number - 1, '    x = 2');
  expect(await updated(twoClasses, ...lines)).toBe(after.join('\n'));
});

test.each([
  ['removes the last line below one that another hunk adds', 'a\nb\nc', [' b', '+x', '@@', '-c'], 'a\nb\nx'],
  ['removes the last lines one by one', 'a\nb\nc', ['-c', '@@', '-b'], 'a'],
  ['removes all lines one by one and adds others', 'a\r\nb', ['-a', '@@', '-b', '@@', '+x', '+y'], 'x\r\ny'],
  ['replaces the only line and adds at the end', 'a', ['-a', '@@', '+x'], 'x'],
  ['adds at the end twice, in order', 'a\nb', ['@@', '+x', '@@', '+y'], 'a\nb\nx\ny'],
  ['adds at one place twice, in order', 'a\nb\n', ['@@ a', '+x', '@@ a', '+y'], 'a\nx\ny\nb\n'],
  ['adds to an empty file twice, in order', '', ['@@', '+x', '@@', '+y'], 'x\ny\n'],
  ['adds above a line that another hunk replaces', 'a\nb\n', ['-b', '+B', '@@', ' a', '+x'], 'a\nx\nB\n'],
  ['skips a place that another hunk changes', 'x\na\nx\nb\n', ['-x', '+1', ' a', '@@', '-b', '@@', '-x'], '1\na\n'],
])('with several hunks %s', async (_, before, lines, after) => {
  expect(await updated(before, ...lines)).toBe(after);
});

test('reports line numbers of the new text, in any order of hunks', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `l${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': lines });
  const { content } = await update(project, '-l30', '+x', '+y', '@@', '-l3', '-l4', '@@', ' l10', '+z');
  expect(content).toMatch(/^Edited a.txt: 3 places at lines 3, 9, 29\.\n/);
});

test('keeps track of the lines that were read, in any order of hunks', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\nb\nc\nd\ne\nf\ng\n' });
  for (const offset of [2, 5]) await project.run(readTool, { file_path: 'a.txt', offset, limit: 2 });
  const run = (...hunks: string[]) => apply(project, '*** Update File: a.txt', ...hunks);
  expect((await run('-f', '+F', '+F2', '@@', '-b', '@@', '-c', '+C', '+C2', '+C3')).isError).toBe(false);
  expect(await project.text('a.txt')).toBe('a\nC\nC2\nC3\nd\ne\nF\nF2\ng\n');
  expect((await run('-d', '+D')).content).toMatch(/not been read \(5; read so far: 2–4, 6–8\)/);
});

test('searches each hunk after the previous one, and elsewhere only if it is unique there', async () => {
  expect(await updated('x\na\nx\nb\nx\n', ' a', '-x', '+1', '@@', '-x', '+2')).toBe('x\na\n1\nb\n2\n');
  expect(await updated('a\nb\nc\n', '-c', '+C', '@@', '-a', '+A')).toBe('A\nb\nC\n');
  expect(await updated('a\nb\nc\n', '-a', '+A', ' b', '@@', ' b', '-c', '+C')).toBe('A\nb\nC\n');
  expect(await updated('a\nb\nc\n', '@@ a', '-b', '+B', '@@ a', '-c', '+C')).toBe('a\nB\nC\n');
});

test.each([
  [
    'a hunk that occurs several times',
    ['-    x = 1', '+    x = 2'],
    'hunk 1 (line 3 of the patch) occurs 3 times in a.txt (lines 3, 7, 10), so it is not unique. Nothing was written. Add an @@ line that names what the place is in, or more lines of context.',
  ],
  [
    'a hunk that occurs several times below its @@ line',
    ['@@ class B:', '-    x = 1', '+    x = 2'],
    'hunk 1 (line 3 of the patch) occurs 2 times in a.txt (lines 7, 10), so it is not unique. Nothing was written. Add an @@ line that names what the place is in, or more lines of context.',
  ],
  [
    'a hunk below an ambiguous @@ line',
    ['@@ def run():', '-    x = 1', '+    x = 2'],
    'hunk 1 (line 3 of the patch) occurs 3 times in a.txt (lines 3, 7, 10), so it is not unique. Nothing was written. Add an @@ line that names what the place is in, or more lines of context.',
  ],
  [
    'lines added below an ambiguous @@ line',
    ['@@ def run():', '+    y = 1'],
    'hunk 1 (line 3 of the patch) only adds lines, and its @@ line occurs 2 times in a.txt (lines 2, 6), so it is unclear where they belong. Nothing was written. Add the lines around the place as context.',
  ],
  [
    'an @@ line that is not in the file',
    ['@@ class C:', '-    x = 1', '+    x = 2'],
    'hunk 1 (line 3 of the patch) has no place: no line of a.txt reads as "@@ class C:" says. Nothing was written. An @@ line must be a whole line of the file. The nearest is:\n1\tclass A:',
  ],
  [
    'an @@ line that is above the previous one',
    ['@@ def stop():', '@@ class A:', '-    x = 1', '+    x = 2'],
    'hunk 1 (line 3 of the patch) has no place: "@@ class A:" names a line that a.txt has above the @@ line before it alone (line 1, and that is line 9). Nothing was written. Send the @@ lines from the outermost to the innermost.',
  ],
  [
    'a hunk that is above its @@ line',
    ['@@ def stop():', '-class B:', '+class C:'],
    'hunk 1 (line 3 of the patch) was not found below line 9 of a.txt, which its @@ line names; it occurs above (line 5). Nothing was written. Correct the @@ line.',
  ],
  [
    'a hunk that is not in the file',
    ['@@', '-  def run(self):', '+  def go():'],
    'hunk 1 (line 3 of the patch) was not found in a.txt (0 matches). The nearest text is at line 2. Copy the text exactly as in the file:\n2\t  def run():\n…\n6\t  def run():\nSent and in the file (→ is a tab, · a blank):\n2 sent: ··def run(self):\n2 file: ··def run():\nNothing was written.',
  ],
  [
    'a hunk that matches only part of a line',
    ['-class', '+struct'],
    'hunk 1 (line 3 of the patch) was not found in a.txt (0 matches). The nearest text is at line 1. Copy the text exactly as in the file:\n1\tclass A:\n…\n5\tclass B:\nSent and in the file (→ is a tab, · a blank):\n1 sent: class\n1 file: class A:\nNothing was written.',
  ],
  [
    'the line numbers of Read',
    ['-1\tclass A:', '+class C:'],
    'hunk 1 (line 3 of the patch) carries line-number prefixes from Read\'s output ("1\\t"). Send it without them:\nclass A:\nNothing was written.',
  ],
  [
    'a second hunk that does not fit, and writes nothing',
    ['-class A:', '+class C:', '@@', '-class D:', '+class E:'],
    /^hunk 2 \(line 5 of the patch\) was not found in a.txt \(0 matches\)/,
  ],
  [
    'a hunk that changes the same lines as an earlier one',
    ['-class A:', '+class C:', '@@', '-class A:', '+class D:'],
    'hunk 2 (line 5 of the patch) overlaps hunk 1 (line 3 of the patch), which changes line 1 of a.txt already. Nothing was written. Merge them into one hunk.',
  ],
  [
    'a hunk whose context an earlier one changes',
    ['-class B:', '+class C:', '@@', ' class B:', '-  def run():', '+  def go():'],
    'hunk 2 (line 5 of the patch) overlaps hunk 1 (line 3 of the patch), which changes line 5 of a.txt already. Nothing was written. Merge them into one hunk.',
  ],
  [
    'a hunk in lines that an earlier one adds',
    ['-class A:', '+struct Z {', '@@', '-struct Z {', '+struct Y {'],
    /^hunk 2 \(line 5 of the patch\) was not found in a.txt \(0 matches\).*\nA hunk before adds "struct Z {", but every hunk is looked for in the file as it is before the patch\. Merge the two hunks into one\.$/s,
  ],
  [
    'an @@ line that an earlier hunk adds',
    ['-class A:', '+struct Z {', '@@ struct Z {', '-    x = 1', '+    x = 2'],
    /^hunk 2 .* no line of a.txt reads as "@@ struct Z {" says.*\nA hunk before adds "struct Z {"/s,
  ],
  [
    'lines that are not at the end, as *** End of File says',
    ['-class B:', '+class C:', '*** End of File'],
    'hunk 1 (line 3 of the patch) says *** End of File, but its lines are not the last of a.txt, which has 10 lines: they are at line 5. Nothing was written. Leave *** End of File out to change them there, or send the last lines of the file.',
  ],
  [
    'a patch without changes',
    [' class A:'],
    'The patch leaves a.txt as it is, so there is nothing to do. Nothing was written.',
  ],
])('refuses %s', async (_, lines, words) => {
  const project = await temporaryProject({ 'a.txt': twoClasses });
  expect(await update(project, ...lines)).toMatchObject({
    content: typeof words === 'string' ? words : expect.stringMatching(words),
    failure: 'check_refused',
  });
  expect(await project.text('a.txt')).toBe(twoClasses);
});

test('refuses a patch that does not parse with a single error, and asks no question', async () => {
  const asked: unknown[] = [];
  const project = await temporaryProject(
    { 'a.txt': 'a\n' },
    {
      permissionMode: 'default',
      askPermission: async (question) => {
        asked.push(question);
        return { behavior: 'allow' };
      },
    },
  );
  const run = await project.run(applyPatchTool, { input: '*** Begin Patch\n*** Rename File: a.txt\n*** End Patch' });
  expect(run).toMatchObject({
    content:
      'Line 2 of the patch does not fit: expected "*** Add File: …", "*** Update File: …" or "*** Delete File: …", but it reads "*** Rename File: a.txt". Nothing was written. Correct the patch and send it again.',
    failure: 'check_refused',
  });
  expect([asked, run.events.filter(({ type }) => type === 'tool_result').length]).toEqual([[], 1]);
});

test('refuses files that were not read', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n' });
  const words =
    'a.txt has not been read in this session, so a patch could destroy unseen content. Read it, then send the patch again.';
  for (const lines of [
    ['*** Update File: a.txt', '-a', '+b'],
    ['*** Delete File: a.txt'],
    ['*** Update File: a.txt', '*** Move to: b.txt'],
  ]) {
    expect(await apply(project, '*** Add File: new.txt', '+x', ...lines)).toMatchObject({ content: words });
  }
  expect(await readdir(project.root)).toEqual(['a.txt']);
});

test('changes lines that were read and refuses the others', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
  await project.run(readTool, { file_path: 'a.txt', limit: 2 });
  const run = (...lines: string[]) => apply(project, '*** Update File: a.txt', ...lines);
  expect((await run('-four', '+4')).content).toBe(
    'hunk 1 (line 3 of the patch) is in lines of a.txt that have not been read (4; read so far: 1–2). Nothing was written. Read those lines, then send the edit again.',
  );
  expect((await run('@@', '+five')).content).toMatch(/have not been read \(4; read so far: 1–2\)/);
  expect((await run('-one', '+1', '+1b', '@@', '-two', '+2')).isError).toBe(false);
  expect((await run('-three', '+3')).content).toMatch(/have not been read \(4; read so far: 1–3\)/);
});

test('changes lines that were not read if they match exactly and once, unless another program has changed the file', async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `this is line ${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': lines });
  await project.run(readTool, { file_path: 'a.txt', limit: 3 });
  const run = (...hunk: string[]) => apply(project, '*** Update File: a.txt', ...hunk);
  expect((await run(' this is line 20', '-this is line 21', '+twenty-one', '+and a half')).isError).toBe(false);
  expect((await run('-this is line 2', '+two')).isError).toBe(false);
  expect(project.engine.session.ledger.get(project.path('a.txt'))?.lines).toEqual([
    [1, 3],
    [21, 22],
  ]);
  await project.write('a.txt', (await project.text('a.txt')).replace('line 30', 'line thirty'));
  expect((await run('-this is line 35', '+x')).content).toMatch(/and the patch does not fit what was read of it/);
  expect((await run('-this is line thirty', '+x')).content).toMatch(/and the patch does not fit what was read of it/);
});

test('patches a file that another program changed elsewhere, keeps that change and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const changed = `zero\none\ntwo\nthree\n${'x\n'.repeat(20)}`;
  await project.write('a.txt', changed);
  const { content } = await apply(project, '*** Update File: a.txt', '-two', '+2', '@@ three', '+3b');
  expect(await project.text('a.txt')).toBe(changed.replace('two', '2').replace('three\n', 'three\n3b\n'));
  expect(content).toContain('The file had changed on disk since you read it');
  const far = await apply(project, '*** Update File: a.txt', '-x', '*** End of File');
  expect(far.content).toMatch(/have not been read \(25; read so far: 1–10\)/);
});

test('refuses to patch or delete a file that changed on disk', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\ntwo\ntwo\n');
  const words = async (...lines: string[]) => (await apply(project, ...lines)).content;
  const since =
    'a.txt changed on disk after it was read \\(read \\d\\d:\\d\\d:\\d\\d, modified \\d\\d:\\d\\d:\\d\\d\\)';
  expect(await words('*** Update File: a.txt', ' one', '-two', '@@', '-two')).toMatch(
    new RegExp(
      `^${since}, and hunk 2 \\(line 5 of the patch\\) does not occur exactly once in the new content \\(2 matches\\)\\.`,
    ),
  );
  expect(await words('*** Update File: a.txt', '@@', '+three')).toMatch(
    new RegExp(
      `^${since} and the patch conflicts with that change at line 3\\. Nothing was written\\..*<<<<<<< yours\nthree\n=======\ntwo\n>>>>>>> on disk`,
      's',
    ),
  );
  expect(await words('*** Delete File: a.txt')).toMatch(
    new RegExp(`^${since}, and deleting it would destroy that change\\. Nothing was written\\.`),
  );
  expect(await project.text('a.txt')).toBe('one\ntwo\ntwo\n');
});

test.each([
  ['<<EOF', 'EOF'],
  ["<<'EOF'", 'EOF'],
  ['<<"EOF"', 'EOF'],
  ["apply_patch <<'PATCH'", 'PATCH'],
  ["cat <<'EOF'", 'EOF'],
])('accepts a patch wrapped in a shell command: %s', async (first, last) => {
  const project = await temporaryProject({ 'a.txt': 'a\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const patch = '*** Begin Patch\n*** Update File: a.txt\n-a\n+b\n*** End Patch';
  const run = await project.run(applyPatchTool, { input: `${first}\n${patch}\n${last}\n` });
  expect([run.isError, await project.text('a.txt')]).toEqual([false, 'b\n']);
});

test.each<[string, string, string[], string]>([
  ['blanks at line ends in the file', 'one  \ntwo\t\n', [' one', '-two', '+2'], 'one  \n2\n'],
  ['blanks at line ends in the patch', 'one\ntwo\n', [' one ', '-two  ', '+2'], 'one\n2\n'],
  ['leading blanks', '  one\n    two\n', [' one', '-two', '+    2'], '  one\n    2\n'],
  ['dashes', 'a – b\nc\n', ['-a - b', '+a + b'], 'a + b\nc\n'],
  ['curly quotes in context', 'say “hi”\nc\n', [' say "hi"', '-c', '+d'], 'say “hi”\nd\n'],
  ['no-break spaces', 'a\u00a0b\nc\n', [' a b', '-c', '+d'], 'a\u00a0b\nd\n'],
  ['padded markers', 'a\nb\n', ['@@', '-b', '+c', '*** End of File '], 'a\nc\n'],
])('ignores differences in %s if only one place matches', async (_, before, hunk, after) => {
  expect(await updated(before, ...hunk)).toBe(after);
});

test.each<[string, string, string[]]>([
  ['blanks at line ends', 'one  \ntwo\none \ntwo\n', [' one', '-two', '+2']],
  ['leading blanks', '  one\n    one\n', ['-one', '+1']],
  ['dashes', 'a – b\na — b\n', ['-a - b', '+c']],
])('refuses a hunk that matches two places except for %s', async (_, before, hunk) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await update(project, ...hunk);
  expect(content).toMatch(/is nowhere in a.txt exactly, and but for blanks or look-alike characters it occurs 2 times/);
  expect(await project.text('a.txt')).toBe(before);
});

test.each<[string, string, string[], string]>([
  [
    'a line that is replaced',
    'if a:\n    go()\nelse:\n    stop()\n',
    ['-go()', '+go2()'],
    'if a:\n    go2()\nelse:\n    stop()\n',
  ],
  [
    'lines below context',
    'class A:\n    def f(self):\n        return 1\n',
    [' def f(self):', '-    return 1', '+    return 2', '+', '+    # more'],
    'class A:\n    def f(self):\n        return 2\n\n        # more\n',
  ],
  [
    'lines that are only added',
    'class A:\n    if x:\n        y()\n',
    [' if x:', '     y()', '+    z()'],
    'class A:\n    if x:\n        y()\n        z()\n',
  ],
  ['lines indented less', 'a {\n  b\n}\n', ['-    b', '+    c', '+      d'], 'a {\n  c\n    d\n}\n'],
  ['tabs for blanks', 'a {\n\tb\n\t\tc\n}\n', ['     b', '-        c', '+        d'], 'a {\n\tb\n\t\td\n}\n'],
  [
    'lines that already have the indentation of the file',
    'a:\n    b\n',
    ['-b', '+    if c:', '+        b'],
    'a:\n    if c:\n        b\n',
  ],
  ['lines beside a replaced line that was sent as it is', '  a\n    b\n', [' a', '-    b', '+    c'], '  a\n    c\n'],
])(
  'indents new lines as the file is, where the patch is indented in another way: %s',
  async (_, before, hunk, after) => {
    expect(await updated(before, ...hunk)).toBe(after);
  },
);

test.each<[string, string, string[]]>([
  ['lines that are replaced', '  a\n      b\n', ['-a', '-  b', '+c', '+d']],
  ['context of lines that are only added', '  a\n      b\n', [' a', '   b', '+  c']],
  ['new lines that cannot be outdented as far', '  a\n', ['-    a', '+a']],
])('refuses a hunk if the indentation of its new lines is ambiguous: %s', async (_, before, hunk) => {
  const project = await temporaryProject({ 'a.txt': before });
  const { content } = await update(project, ...hunk);
  expect(content).toMatch(
    /^hunk 1 \(line 3 of the patch\) fits a.txt at lines? .* but for its indentation.*Nothing was written\. Send its lines exactly as in the file:\n1\t {2}a/s,
  );
  expect(await project.text('a.txt')).toBe(before);
});

test('prefers a place inside the block of the @@ line to a better match after the block', async () => {
  const text = 'def a():\n    x = 1\n    y = 2\n\nx = 1\n';
  expect(await updated(text, '@@ def a():', '-x = 1', '+x = 5')).toBe(text.replace('    x = 1', '    x = 5'));
  expect(await updated(`x = 1\n${text}`, '@@ def a():', '-x = 1', '+x = 5')).toBe(
    `x = 1\n${text.replace('    x = 1', '    x = 5')}`,
  );
  const dashes = 'def a():\n  x = "1 – 2"\ndef b():\n  x = "1 − 2"\n';
  expect(await updated(dashes, '@@ def b():', '-  x = "1 - 2"', '+  x = 3')).toBe(dashes.replace('"1 − 2"', '3'));
  const two = 'def a():\n    if b:\n        x = 1\n    x = 1\n\nx = 1\n';
  expect(await updated(two, '@@ def a():', '-x = 1', '+x = 5')).toMatch(
    /is nowhere in a.txt exactly, and but for blanks or look-alike characters it occurs 2 times in the block of its @@ line \(lines 3, 4\)/,
  );
  const ambiguous = 'class A:\n  def a():\n    x = 1\nclass B:\n  def a():\n    x = 1\n\nx = 1\n';
  expect(await updated(ambiguous, '@@ def a():', '-x = 1', '+x = 5')).toMatch(/it occurs 2 times .* \(lines 3, 6\)/);
});

test('deletes and replaces only files that were read completely', async () => {
  const text = Array.from({ length: 20 }, (_, index) => `this is line ${index + 1}\n`).join('');
  const project = await temporaryProject({ 'a.txt': text });
  await project.run(readTool, { file_path: 'a.txt', limit: 1 });
  const change = ['*** Update File: a.txt', '-this is line 1', '+one'];
  for (const lines of [
    ['*** Delete File: a.txt'],
    [...change, '*** Delete File: a.txt'],
    [...change, '*** Add File: a.txt', '+new'],
  ]) {
    expect((await apply(project, ...lines)).content).toBe(
      'a.txt has been read in part only (lines 1), so deleting it could destroy unseen content. Read the rest first, or use Bash to delete it unread.',
    );
  }
  expect(await project.text('a.txt')).toBe(text);
  await project.run(readTool, { file_path: 'a.txt', offset: 2 });
  expect((await apply(project, '*** Delete File: a.txt')).isError).toBe(false);
});

test('accepts padded headers and an environment name', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const run = await apply(
    project,
    '*** Environment ID: local',
    '  *** Delete File: b.txt ',
    ' *** Add File: c.txt',
    '+c',
    '   *** Update File:   a.txt  ',
    ' *** Move to: d.txt',
    '-a',
    '+A',
  );
  expect([run.isError, (await readdir(project.root)).sort()]).toEqual([false, ['c.txt', 'd.txt']]);
});

test.each<[string, string[], Record<string, string>]>([
  [
    'two updates of a file',
    [
      '*** Update File: a.txt',
      '-a',
      '+A',
      '*** Update File: b.txt',
      '-b',
      '+B',
      '*** Update File: a.txt',
      ' A',
      '-c',
      '+C',
    ],
    { 'a.txt': 'A\nC\n', 'b.txt': 'B\n' },
  ],
  [
    'add, then update',
    ['*** Add File: n.txt', '+1', '+2', '*** Update File: n.txt', '-2', '+3'],
    { 'a.txt': 'a\nc\n', 'b.txt': 'b\n', 'n.txt': '1\n3\n' },
  ],
  ['delete, then add', ['*** Delete File: a.txt', '*** Add File: a.txt', '+new'], { 'a.txt': 'new\n', 'b.txt': 'b\n' }],
  ['update, then delete', ['*** Update File: a.txt', '-a', '+A', '*** Delete File: a.txt'], { 'b.txt': 'b\n' }],
  [
    'add, then delete',
    ['*** Add File: n.txt', '+1', '*** Delete File: n.txt', '*** Delete File: a.txt'],
    { 'b.txt': 'b\n' },
  ],
  ['add over a file that was read', ['*** Add File: a.txt', '+new'], { 'a.txt': 'new\n', 'b.txt': 'b\n' }],
  [
    'move over a file that was read',
    ['*** Update File: a.txt', '*** Move to: b.txt', '-a', '+A'],
    { 'b.txt': 'A\nc\n' },
  ],
])('applies each part of a patch to the result of the parts before: %s', async (_, lines, after) => {
  const project = await temporaryProject({ 'a.txt': 'a\nc\n', 'b.txt': 'b\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const run = await apply(project, ...lines);
  expect([run.isError, run.content]).toEqual([false, run.content]);
  const texts: Record<string, string> = {};
  for (const name of await readdir(project.root)) texts[name] = await project.text(name);
  expect(texts).toEqual(after);
});

test('does not add over a file that was read only partly, or move over one that changed on disk', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\nc\n', 'b.txt': 'b\n' });
  await project.run(readTool, { file_path: 'a.txt', limit: 1 });
  expect((await apply(project, '*** Add File: a.txt', '+x')).content).toMatch(/^a.txt has been read in part only/);
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  await project.write('b.txt', 'other\n');
  expect((await apply(project, '*** Update File: a.txt', '*** Move to: b.txt')).content).toMatch(
    /^b.txt changed on disk after it was read/,
  );
  expect([await project.text('a.txt'), await project.text('b.txt')]).toEqual(['a\nc\n', 'other\n']);
});

test('refuses to add or move over a file that was not read, and to move a file that the patch names twice', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const words = async (...lines: string[]) => (await apply(project, ...lines)).content;
  expect(await words('*** Add File: b.txt', '+x')).toBe(
    'b.txt exists already, so no new file can be put there. Nothing was written. Read it first to replace it, or use "*** Update File: b.txt" to change it.',
  );
  expect(await words('*** Update File: a.txt', '*** Move to: b.txt')).toBe(
    'b.txt exists already, so no new file can be put there. Nothing was written. Choose another name, or read it first to replace it.',
  );
  expect(await words('*** Update File: a.txt', '*** Move to: c', `*** Delete File: ${project.path('a.txt')}`)).toBe(
    `The patch names a.txt twice and moves it, so the result is unclear. Nothing was written. Put all its changes below one line "*** Update File: ${project.path('a.txt')}".`,
  );
  expect(await words('*** Update File: missing.txt', '-a')).toMatch(/^missing.txt does not exist/);
  expect(await words('*** Add File: a.txt/b', '+x')).toMatch(
    /^a.txt\/b can't be written: a.txt is a file, not a folder/,
  );
  expect(await words('*** Add File: c', '+\ud83d')).toMatch(/^The patch holds half of a surrogate pair/);
  expect([await project.text('a.txt'), await project.text('b.txt')]).toEqual(['a\n', 'b\n']);
});

test('updates the target of a symlink, but neither deletes nor moves the link', async () => {
  const project = await temporaryProject({ 'real.txt': 'one\n' });
  await symlink('real.txt', project.path('a.txt'));
  await update(project, '-one', '+1');
  expect([await project.text('real.txt'), (await lstat(project.path('a.txt'))).isSymbolicLink()]).toEqual([
    '1\n',
    true,
  ]);
  for (const [lines, what] of [
    [['*** Delete File: a.txt'], 'deleted'],
    [['*** Update File: a.txt', '*** Move to: b.txt'], 'moved'],
  ] as const) {
    expect((await apply(project, ...lines)).content).toBe(
      `a.txt (a link to real.txt) is a link, so it was not ${what}: the file behind it would be lost or the link lead nowhere. Nothing was written. Name the file itself, or use Bash.`,
    );
  }
});

test.each([
  ['UTF-8 with a mark', (text: string) => Buffer.from(`\ufeff${text}`)],
  ['UTF-16 LE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le')],
  ['UTF-16 BE', (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
])('keeps the encoding: %s', async (_, encode) => {
  const project = await temporaryProject({ 'a.txt': encode('a\r\nb\r\nc\r\n') });
  await update(project, '-a', '+α', '@@', '-c', '+👍', '+d');
  expect(await project.bytes('a.txt')).toEqual(encode('α\r\nb\r\n👍\r\nd\r\n'));
});

test('changes no file if the patch contradicts itself', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'd.txt': 'four\n' });
  for (const file_path of ['a.txt', 'd.txt']) await project.run(readTool, { file_path });
  const update = ['*** Update File: a.txt', '-one', '+1', '*** Delete File: d.txt'];
  const run = await apply(project, ...update, '*** Add File: b', '+x', '*** Add File: b/e.txt', '+y');
  expect(run.content).toBe(
    "The patch has a file at b and another below it, at b/e.txt, and a place can't be both a file and a folder. Nothing was written. Choose another path for one of them.",
  );
  expect((await readdir(project.root)).toSorted()).toEqual(['a.txt', 'd.txt']);
  expect((await apply(project, ...update)).isError).toBe(false);
});

test('reads all files again if one changes just before the write', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
  for (const file_path of ['a.txt', 'b.txt']) await project.run(readTool, { file_path });
  const { changes } = project.engine.session;
  const applyChanges = changes.apply.bind(changes);
  let times = 0;
  changes.apply = async (...call) => {
    times += 1;
    if (times === 1) await project.write('b.txt', 'TWO\n');
    await applyChanges(...call);
  };
  const run = await apply(project, '*** Update File: a.txt', '-one', '+1', '*** Update File: b.txt', '-two', '+2');
  expect([run.isError, run.content]).toEqual([true, expect.stringMatching(/^b.txt changed on disk after it was read/)]);
  expect([await project.text('a.txt'), await project.text('b.txt')]).toEqual(['one\n', 'TWO\n']);
});

test('changes nothing once the call is cancelled', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const input = patch('*** Add File: b.txt', '+x', '*** Delete File: a.txt');
  const signal = AbortSignal.abort(new Error('cancelled'));
  expect(await project.run(applyPatchTool, { input }, { signal })).toMatchObject({ failure: 'interrupted' });
  expect(await readdir(project.root)).toEqual(['a.txt']);
});

test('declares a read and a write of every file that it names, targets of moves too', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n', 'real/b.txt': 'b\n' });
  await symlink('real', project.path('linked'));
  const lines = ['*** Update File: a.txt', '*** Move to: linked/b.txt', '*** Delete File: c.txt'];
  const input = patch(...lines, `*** Add File: ${project.path('d.txt')}`);
  const effects = await project.effects(applyPatchTool, { input });
  const shown = effects.map((effect) =>
    effect.kind === 'file' ? `${effect.access} ${effect.real.slice(project.root.length + 1)}` : JSON.stringify(effect),
  );
  expect(shown.toSorted()).toEqual([
    'read a.txt',
    'read c.txt',
    'read d.txt',
    'read real/b.txt',
    'write a.txt',
    'write c.txt',
    'write d.txt',
    'write real/b.txt',
    '{"kind":"session","access":"read","what":"cwd"}',
  ]);
  const absolute = patch(`*** Delete File: ${project.path('d.txt')}`);
  expect((await project.effects(applyPatchTool, { input: absolute })).map(({ kind }) => kind)).toEqual([
    'file',
    'file',
  ]);
});

test('denying the write of one file refuses the whole patch', async () => {
  const project = await temporaryProject({ 'a.txt': 'a\n' }, { permissionMode: 'plan' });
  await mkdir(project.path('sub'));
  expect(await apply(project, '*** Add File: sub/b.txt', '+x')).toMatchObject({ failure: 'permission_denied' });
  expect(await readdir(project.path('sub'))).toEqual([]);
});

test('shows the file names while the patch streams, and the whole patch with a question', () => {
  const text = patch('*** Add File: a.txt', '+x', '*** Delete File: b.txt');
  expect(applyPatchTool.displayCall({ input: text.slice(0, -12) })).toEqual({ action: 'Patch', title: 'a.txt, b.txt' });
  const accepted = applyPatchTool.accept({ input: text });
  expect(accepted.ok && accepted.call.displayRefusal()).toEqual({
    action: 'Patch',
    title: 'a.txt, b.txt',
    body: { type: 'diff', path: 'a.txt, b.txt', patch: text },
  });
});

test('is offered only to models that are trained on patches', () => {
  const context = { root: '/', mode: 'headless', deferredTools: [] } as const;
  expect([
    applyPatchTool.isEnabled({ ...context, editStyle: 'text' }),
    applyPatchTool.isEnabled({ ...context, editStyle: 'patch' }),
  ]).toEqual([false, true]);
});

/** A file by its lines, each with its change, so that the patch and its outcome are known without the tool. */
const someLines = fc.array(
  fc.record({
    fate: fc.constantFrom('keep', 'keep', 'keep', 'remove', 'replace'),
    text: fc.constantFrom('', 'a', ' b', '-c', '+d', '@@ e', '*** f', 'é👍', '“q”'),
    fresh: fc.array(fc.constantFrom('', 'x', ' y', '-z', '@@ w', '’'), { minLength: 1, maxLength: 2 }),
    insert: fc.option(fc.constantFrom('', 'i', '+j'), { nil: undefined, freq: 3 }),
    newHunk: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

test('produces exactly the file that the patch describes, for any lines and line endings', async () => {
  const ending = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(someLines, ending, fc.boolean(), fc.boolean(), async (plan, given, isClosed, inHunks) => {
      const end = plan.length === 1 && !isClosed ? '\n' : given; // a file without an ending has no kind of line ending
      // Numbered, so that each line is unique.
      const lines = plan.map((line, index) => ({ ...line, text: `${line.text}${index}` }));
      const body: string[] = ['@@'];
      const after: string[] = [];
      for (const { fate, text, fresh, insert, newHunk } of lines) {
        if (inHunks && newHunk && body.at(-1) !== '@@') body.push('@@');
        const added = [...(fate === 'replace' ? fresh : []), ...(insert === undefined ? [] : [insert])];
        body.push(`${fate === 'keep' ? ' ' : '-'}${text}`, ...added.map((line) => `+${line}`));
        after.push(...(fate === 'keep' ? [text] : []), ...added);
      }
      const render = (all: readonly string[]): string => all.join(end) + (isClosed && all.length > 0 ? end : '');
      const before = render(lines.map(({ text }) => text));
      const expected = render(after);
      const project = await temporaryProject({ 'a.txt': before });
      const { content } = await update(project, ...body);
      if (expected === before) expect(content).toMatch(/^The patch leaves a.txt as it is/);
      expect(await project.text('a.txt')).toBe(expected);
      await project.remove();
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 2_000 : 60 },
  );
});

test('with repeated lines, applies an unambiguous patch and leaves the file unchanged otherwise', async () => {
  const few = fc.array(fc.constantFrom<string[]>('', 'a', 'b'), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(few, fc.nat(), fc.nat(), fc.nat(3), async (lines, at, remove, context) => {
      const first = at % lines.length;
      const behind = first + (remove % (lines.length - first + 1));
      const from = Math.max(0, first - context);
      const to = Math.min(lines.length, behind + context);
      const kept = (part: readonly string[]): string[] => part.map((line) => ` ${line}`);
      const project = await temporaryProject({ 'a.txt': lines.map((line) => `${line}\n`).join('') });
      const before = await project.text('a.txt');
      const { isError } = await update(
        project,
        ...['@@', ...kept(lines.slice(from, first)), ...lines.slice(first, behind).map((line) => `-${line}`)],
        ...['+NEW', ...kept(lines.slice(behind, to))],
      );
      const wanted = lines.slice(from, to);
      const places = lines.filter((_, index) => wanted.every((line, offset) => lines[index + offset] === line)).length;
      const after = lines.toSpliced(wanted.length === 0 ? lines.length : first, behind - first, 'NEW');
      expect(isError).toBe(wanted.length > 0 && places > 1);
      expect(await project.text('a.txt')).toBe(isError ? before : after.map((line) => `${line}\n`).join(''));
      await project.remove();
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 2_000 : 60 },
  );
});
