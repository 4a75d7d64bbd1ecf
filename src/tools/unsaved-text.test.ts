import { expect, test } from 'vitest';
import { temporaryProject } from '../testing/temporary-project.js';
import { applyPatchTool } from './apply-patch.js';
import { editTool } from './edit.js';
import { readTool } from './read.js';
import { writeTool } from './write.js';

/** A project, and the texts that an editor holds of its files, by name. */
async function withEditor(files: Record<string, string>) {
  const open = new Map<string, string>();
  const project = await temporaryProject(files, {
    buffers: { textOf: async (path) => open.get(path) },
  });
  return { project, hold: (name: string, text: string) => open.set(project.path(name), text) };
}

const edit = { file_path: 'a.txt', old_string: 'two', new_string: '2' };

test('a read shows the unsaved text of the editor and says so', async () => {
  const { project, hold } = await withEditor({ 'a.txt': 'one\ntwo\n' });
  hold('a.txt', 'one\ntwo\nthree\n');
  const { content } = await project.run(readTool, { file_path: 'a.txt' });
  expect(content).toMatch(/^1\tone\n2\ttwo\n3\tthree\n\n\(This is the text in the user's editor, .* not saved/);
});

test('a read of a saved file says nothing, also if the editor keeps line endings or the byte order mark apart', async () => {
  const { project, hold } = await withEditor({ 'a.txt': '\uFEFFone\r\ntwo\r\n' });
  hold('a.txt', 'one\ntwo\n');
  expect((await project.run(readTool, { file_path: 'a.txt' })).content).not.toContain('editor');
  expect((await project.run(editTool, edit)).isError).toBe(false);
  expect(await project.text('a.txt')).toBe('\uFEFFone\r\n2\r\n');
});

test('no tool changes a file that has unsaved changes, and the refusal says what to do', async () => {
  const { project, hold } = await withEditor({ 'a.txt': 'one\ntwo\n' });
  await project.run(readTool, { file_path: 'a.txt' });
  hold('a.txt', 'one\ntwo\nmine\n');
  const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n one\n-two\n+2\n*** End Patch';
  const runs = [
    await project.run(editTool, edit),
    await project.run(writeTool, { file_path: 'a.txt', content: 'new\n' }),
    await project.run(applyPatchTool, { input: patch }),
  ];
  for (const { content, isError } of runs) {
    expect(isError).toBe(true);
    expect(content).toMatch(/a\.txt has unsaved changes in the user's editor.*Nothing was written\..*save or discard/s);
  }
  expect(await project.text('a.txt')).toBe('one\ntwo\n');
});

test('after the person has saved, an edit of the text that was shown works without another read', async () => {
  const { project, hold } = await withEditor({ 'a.txt': 'one\n' });
  hold('a.txt', 'one\ntwo\n');
  await project.run(readTool, { file_path: 'a.txt' });
  await project.write('a.txt', 'one\ntwo\n');
  expect((await project.run(editTool, edit)).isError).toBe(false);
  expect(await project.text('a.txt')).toBe('one\n2\n');
});

test('after the person has discarded the changes, an edit of discarded lines is refused and keeps the file', async () => {
  const { project, hold } = await withEditor({ 'a.txt': 'one\n' });
  hold('a.txt', 'one\ntwo\n');
  await project.run(readTool, { file_path: 'a.txt' });
  hold('a.txt', 'one\n');
  expect((await project.run(editTool, edit)).isError).toBe(true);
  expect(await project.text('a.txt')).toBe('one\n');
});

test('a new file is not written over a buffer that was never saved; an empty buffer is no obstacle', async () => {
  const { project, hold } = await withEditor({});
  const write = async () => await project.run(writeTool, { file_path: 'new.txt', content: 'x\n' });
  hold('new.txt', 'draft');
  expect((await write()).content).toContain('unsaved changes');
  hold('new.txt', '');
  expect((await write()).content).toBe('Created new.txt (1 line).');
});
