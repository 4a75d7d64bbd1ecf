import { chmod, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { editTool } from './edit.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

test('creates a new file and its folders without a read', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(writeTool, { path: 'deep/down/a.txt', content: 'one\ntwo\n' });
  expect([content, await project.text('deep/down/a.txt')]).toEqual([
    'Created deep/down/a.txt (2 lines).',
    'one\ntwo\n',
  ]);
});

test('refuses to replace a file that was not read, was read partly, or has changed since', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\n' });
  const write = async () => (await project.run(writeTool, { file_path: 'a.txt', content: 'new' })).content;
  expect(await write()).toMatch(/^a.txt has not been read in this session, so a write could destroy/);
  await project.run(readTool, { file_path: 'a.txt', limit: 1 });
  expect(await write()).toMatch(/^a.txt has been read in part only \(lines 1\),/);
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\nthree\n');
  expect(await write()).toMatch(
    /^a.txt changed on disk after it was read .* and the write conflicts with that change at lines 1–2\./,
  );
  expect(await project.text('a.txt')).toBe('one\nthree\n');
});

test('replaces a file after all its pages were read, even if a line was truncated', async () => {
  const text = `one\n${'x'.repeat(5_000)}\nthree\nfour\n`;
  const project = await temporaryProject({ 'a.txt': text });
  const write = async () => await project.run(writeTool, { file_path: 'a.txt', content: 'new\n' });
  await project.run(readTool, { file_path: 'a.txt', limit: 3 });
  expect((await write()).content).toMatch(/^a.txt has been read in part only \(lines 1–3\)/);
  await project.run(readTool, { file_path: 'a.txt', offset: 4 });
  expect([(await write()).isError, await project.text('a.txt')]).toEqual([false, 'new\n']);
});

test('merges new content with a change elsewhere, and names the lines that came from it', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\ntwo\nthree\nfour\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\ntwo\nthree\nFOUR\nfive\n');
  const run = await project.run(writeTool, { file_path: 'a.txt', content: '1\ntwo\nthree\nfour\n' });
  expect(await project.text('a.txt')).toBe('1\ntwo\nthree\nFOUR\nfive\n');
  expect(run.content).toContain('both changes were merged and the other one was kept. Not yours: lines 4–5.');
  const next = await project.run(writeTool, { file_path: 'a.txt', content: 'new\n' });
  expect(next.content).toMatch(/^a.txt has been read in part only/);
});

test('asks about a conflict, and applies the answer', async () => {
  const written = async (label: string) => {
    const project = await temporaryProject({ 'a.txt': 'one\n' }, { askUser: async () => [{ chosen: [label] }] });
    await project.run(readTool, { file_path: 'a.txt' });
    await project.write('a.txt', 'theirs\n');
    await project.run(writeTool, { file_path: 'a.txt', content: 'ours\n' });
    return await project.text('a.txt');
  };
  expect(await Promise.all(['Overwrite', 'Abort', 'Read again', 'Write with conflict markers'].map(written))).toEqual([
    'ours\n',
    'theirs\n',
    'theirs\n',
    '<<<<<<< yours\nours\n=======\ntheirs\n>>>>>>> on disk\n',
  ]);
});

test('cannot merge a change to a large file, because its bytes were not kept, and says so', async () => {
  const large = 'x\n'.repeat(600_000);
  const project = await temporaryProject();
  await project.run(writeTool, { file_path: 'a.txt', content: large });
  await project.write('a.txt', `${large}y\n`);
  const { content } = await project.run(writeTool, { file_path: 'a.txt', content: 'z\n' });
  expect(content).toMatch(/^a.txt changed on disk after it was read .*, and what was read was not kept, so the two/);
  expect(await project.text('a.txt')).toBe(`${large}y\n`);
});

test('recreates a file that was deleted after it was read, and says so', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  await rm(project.path('a.txt'));
  const { content } = await project.run(writeTool, { file_path: 'a.txt', content: 'two\n' });
  expect([content, await project.text('a.txt')]).toEqual([
    'Created a.txt (1 line). The file that you had read there was deleted or moved meanwhile, so this is a new one.',
    'two\n',
  ]);
});

test('asks before it writes a secret into a new file', async () => {
  const project = await temporaryProject();
  const content = `one\nkey = ${'ghp_'}q7Zr2LmW9tBv4KcX1nPd8HsJ6fGy3TuA5eQo\n`;
  const run = await project.run(writeTool, { file_path: 'a.txt', content });
  expect(run).toMatchObject({ failure: 'permission_denied', content: expect.stringContaining('at line 2 of a.txt') });
  expect(await readdir(project.root)).toEqual([]);
});

test('replaces a file that was read, keeps its mode and shows the diff', async () => {
  const project = await temporaryProject({ 'run.sh': 'one\ntwo\n' });
  await chmod(project.path('run.sh'), 0o755);
  await project.run(readTool, { file_path: 'run.sh' });
  const { content } = await project.run(writeTool, { file_path: 'run.sh', content: 'one\n2\n' });
  expect(content).toBe('Updated run.sh (2 lines).\n\n--- a/run.sh\n+++ b/run.sh\n@@ -1,2 +1,2 @@\n one\n-two\n+2');
  expect([await project.text('run.sh'), (await stat(project.path('run.sh'))).mode & 0o777]).toEqual([
    'one\n2\n',
    0o755,
  ]);
});

test('keeps encoding, byte order mark and line endings of the file that it replaces', async () => {
  const project = await temporaryProject({ 'a.txt': Buffer.from('\ufeffa\r\nb\r\n', 'utf16le') });
  await project.run(readTool, { file_path: 'a.txt' });
  const { content } = await project.run(writeTool, { file_path: 'a.txt', content: 'x\ny\n' });
  expect(await project.bytes('a.txt')).toEqual(Buffer.from('\ufeffx\r\ny\r\n', 'utf16le'));
  expect(content).toContain('Its line endings (\\r\\n) were kept.');
});

test.each([
  ['lf', 'a\r\nb\r\n', 'a\nb\n', 'a\nb\n'],
  ['lf', 'a\r\nb\r\n', 'a\r\nc\r\n', 'a\nc\n'],
  ['crlf', 'a\nb\n', 'a\nb\n', 'a\r\nb\r\n'],
  ['keep', 'a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
])('converts line endings on request: %s', async (line_endings, before, content, after) => {
  const project = await temporaryProject({ 'a.txt': before });
  await project.run(readTool, { file_path: 'a.txt' });
  const run = await project.run(writeTool, { file_path: 'a.txt', content, line_endings });
  expect([run.isError, await project.text('a.txt')]).toEqual([false, after]);
  await project.run(writeTool, { file_path: 'new.txt', content, line_endings });
  expect(await project.text('new.txt')).toBe(line_endings === 'keep' ? content : after);
});

test('warns about a placeholder line for omitted code', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(writeTool, { file_path: 'a.py', content: 'a()\n# ... rest of the code ...\n' });
  expect(content).toContain('Warning: content holds the line "# ... rest of the code ..."');
});

test('a file that was written can be edited and written again without reading', async () => {
  const project = await temporaryProject();
  await project.run(writeTool, { file_path: 'a.txt', content: 'one\n' });
  await project.run(editTool, { file_path: 'a.txt', old_string: 'one', new_string: 'two' });
  await project.run(writeTool, { file_path: 'a.txt', content: 'three\n' });
  expect(await project.text('a.txt')).toBe('three\n');
});

test('writes nothing if the file already has the content', async () => {
  const project = await temporaryProject({ 'a.txt': 'one\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  const before = await stat(project.path('a.txt'));
  const { content } = await project.run(writeTool, { file_path: 'a.txt', content: 'one\n' });
  expect(content).toBe('a.txt has this content already, so nothing was written.');
  expect((await stat(project.path('a.txt'))).ino).toBe(before.ino);
});

test('refuses a directory and a lone surrogate, and leaves nothing behind', async () => {
  const project = await temporaryProject();
  await mkdir(project.path('dir'));
  expect((await project.run(writeTool, { file_path: 'dir', content: 'x' })).content).toMatch(/^dir is a directory/);
  expect((await project.run(writeTool, { file_path: 'a.txt', content: '\udc00' })).content).toMatch(/surrogate/);
  expect(await readdir(project.root)).toEqual(['dir']);
});

test('refuses a path below a file, before the user is asked', async () => {
  const asked: unknown[] = [];
  const project = await temporaryProject(
    { 'a.txt': 'x' },
    {
      permissionMode: 'default',
      askPermission: async (question) => {
        asked.push(question);
        return { behavior: 'allow' };
      },
    },
  );
  expect(await project.run(writeTool, { file_path: 'a.txt/deep/b.txt', content: 'x' })).toMatchObject({
    content:
      "a.txt/deep/b.txt can't be written: a.txt is a file, not a folder. Choose another path, or move that file away first.",
    failure: 'check_refused',
  });
  expect(asked).toEqual([]);
});

test('creates no folder for a name that is too long', async () => {
  const project = await temporaryProject();
  const { content } = await project.run(writeTool, { file_path: `new/${'x'.repeat(300)}`, content: 'x' });
  expect(content).toMatch(/ can't be reached: the path or a name in it is too long for the system/);
  expect(await readdir(project.root)).toEqual([]);
});

test('explains that a folder lacks write or search permission', async ({ skip }) => {
  if (process.getuid?.() === 0) skip('root may write and look into every folder');
  const project = await temporaryProject({ 'fixed/a.txt': 'x', 'closed/a.txt': 'x' });
  await chmod(project.path('fixed'), 0o555);
  await chmod(project.path('closed'), 0o000);
  const words = async (file_path: string) => (await project.run(writeTool, { file_path, content: 'y' })).content;
  expect(await words('fixed/new/b.txt')).toBe(
    "fixed/new/b.txt can't be written: fixed may not be written: permission is missing. Ask the user to change it, or choose another path.",
  );
  expect(await words('closed/b.txt')).toBe(
    "closed/b.txt can't be reached: permission to look into a folder on the way is missing. Ask the user about it, or use another path.",
  );
  await chmod(project.path('closed'), 0o755);
});

test('reports a large change without a diff', async () => {
  const project = await temporaryProject({ 'a.txt': 'x' });
  await project.run(readTool, { file_path: 'a.txt' });
  const content = 'line of text\n'.repeat(400_000);
  const created = await project.run(writeTool, { file_path: 'new.txt', content });
  const large = { type: 'diff', patch: '(the difference is too large to show: 0 lines before, 400000 after)' };
  expect(created.display).toMatchObject({ title: 'new.txt', facts: ['created'], body: large });
  const updated = await project.run(writeTool, { file_path: 'a.txt', content });
  expect(updated.content).toBe(
    'Updated a.txt (400000 lines).\n\n(the difference is too large to show: 1 line before, 400000 after)',
  );
});

test('writes nothing after the call was aborted', async () => {
  const project = await temporaryProject();
  await project.run(
    writeTool,
    { file_path: 'a.txt', content: 'x' },
    { signal: AbortSignal.abort(new Error('cancelled')) },
  );
  expect(await readdir(project.root)).toEqual([]);
});
