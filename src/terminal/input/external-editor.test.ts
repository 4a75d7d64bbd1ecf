import { existsSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { editExternally } from './external-editor.js';

const steps: string[] = [];
const edit = async (text: string, editor: string | undefined) =>
  await editExternally(text, {
    env: { ...process.env, VISUAL: undefined, EDITOR: editor, ...(editor === undefined && { PATH: '/nowhere' }) },
    cwd: process.cwd(),
    pause: () => void steps.push('pause'),
    resume: () => void steps.push('resume'),
  });

test('returns the text that the editor saved, and releases the terminal meanwhile', async () => {
  steps.length = 0;
  expect(await edit('draft', `sh -c 'printf "%s and more\\n" "$(cat "$0")" > "$0"'`)).toEqual({
    text: 'draft and more',
  });
  expect(steps).toEqual(['pause', 'resume']);
});

test('removes the file, which is private', async () => {
  const found = await edit('secret', `sh -c 'f=$0; { stat -c %a "$f"; echo "$f"; } > "$f"'`);
  const [mode, path = ''] = 'text' in found ? found.text.split('\n') : [];
  expect(mode).toBe('600');
  expect(existsSync(path)).toBe(false);
});

test('reports that no file for the editor can be created', async () => {
  vi.stubEnv('TMPDIR', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await edit('draft', 'true')).toEqual({ problem: expect.stringMatching(/^No file for true can be created/) });
});

test.each([
  [undefined, /No editor was found. Set VISUAL or EDITOR/],
  ['no-such-editor-here', /can't be started/],
  ['false', /false ended with exit code 1, so the text is unchanged/],
  ['rm', /What rm saved can't be read \(ENOENT.*so the text is unchanged/],
])('explains why there is no text from %s', async (editor, problem) => {
  expect(await edit('draft', editor)).toEqual({ problem: expect.stringMatching(problem) });
});
