// The dialog with real questions from the engine, through the whole call path.
import { symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { PermissionAnswer } from '../../contract/permission.js';
import type { Tool } from '../../contract/tool.js';
import { type TestProject, temporaryProject } from '../../testing/temporary-project.js';
import { bashTool } from '../../tools/bash/bash.js';
import { editTool } from '../../tools/edit.js';
import { readTool } from '../../tools/read.js';
import { writeTool } from '../../tools/write.js';
import { Theme } from '../screen/theme.js';
import { PermissionDialog } from './permission-dialog.js';

const theme = new Theme({ name: 'none', depth: 'many' });

/** What the user sees of a call, and its result after they press the keys. */
async function asked(tool: Tool, input: unknown, pressed: string) {
  let shown: string[] = [];
  const place: TestProject = await temporaryProject(
    { 'a.txt': 'one\n', 'long.txt': Array.from({ length: 30 }, (_, index) => `line ${index + 1}\n`).join('') },
    {
      permissionMode: 'default',
      askPermission: async (question) => {
        const { promise, resolve } = Promise.withResolvers<PermissionAnswer>();
        const places = { project: [place.root], home: ['/home/me'] };
        const dialog = new PermissionDialog(theme, { question, places, rows: () => 60 }, (answer) => {
          if (answer !== 'stop') resolve(answer);
        });
        shown = dialog.render(200).map((line) => line.replaceAll(place.root, '/project').trimEnd());
        for (const key of pressed) dialog.handleInput(key);
        return await promise;
      },
    },
  );
  try {
    await symlink('a.txt', place.path('link.txt'));
    await place.run(readTool, { file_path: 'long.txt' });
    const run = await place.run(tool, input);
    return { shown, ...run };
  } finally {
    await place.remove();
  }
}

test('highlights the part of a command that decided, and shows the target of a symlink', async () => {
  const { shown, isError } = await asked(bashTool, { command: 'ls && rm link.txt' }, 'y');
  expect(shown).toEqual([
    expect.stringMatching(/^── Run this command\? ─+$/),
    '',
    '  ls && rm link.txt',
    '        ^^^^^^^^^^^',
    '',
    '  △ deletes link.txt → a.txt · undo restores it',
    '',
    '  No rule is offered for what deletes files.',
    '',
    '  y  Yes',
    '  n  No, and say what to do instead',
  ]);
  expect(isError).toBe(false);
});

test("shows what would be written, and passes the user's reason to the model", async () => {
  const { shown, content } = await asked(writeTool, { file_path: 'b.txt', content: 'one\ntwo\n' }, 'nnot now\r');
  expect(shown).toEqual([
    expect.stringMatching(/^── Create b\.txt\? ─+$/),
    '',
    '  1 one',
    '  2 two',
    '',
    '❯ y  Yes',
    '  a  Yes, and accept edits from now on',
    '  n  No, and say what to do instead',
  ]);
  expect(content).toContain('not now');
});

test('the diff of an edit has the line numbers of the file, and context lines', async () => {
  const edit = { file_path: 'long.txt', old_string: 'line 20', new_string: 'line twenty' };
  const { shown } = await asked(editTool, edit, 'n\r');
  expect(shown.join('\n')).toMatch(/19 {3}line 19 +│ 19 {3}line 19\n {2}20 - line 20 +│ 20 \+ line twenty\n/);
});
