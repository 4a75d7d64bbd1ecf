import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { until } from '../../src/testing/watch-processes.js';
import { runHelve } from '../cli/run-helve.js';

const FILES = 600;
const KILLS = process.env['HELVE_SOAK'] ? 30 : 3;

test('an undo of many files that is killed in the middle is rolled back completely, and the user is informed', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-killed-undo-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  await mkdir(project);
  const names = Array.from({ length: FILES }, (_, index) => `file-${String(index).padStart(3, '0')}`);
  for (const name of names) await writeFile(join(project, name), 'old\n');
  const options = { cwd: project, env: { HELVE_HOME: home } };
  const command =
    'for f in file-*; do echo new > "made-$f"; echo new > "$f"; done; ln -s file-000 link; mkdir empty; chmod 600 file-599';
  const call = ['call', '--permission-mode', 'bypassPermissions', 'Bash', JSON.stringify({ command })];
  expect((await runHelve(call, options)).code).toBe(0);
  const state = async (): Promise<string[]> => {
    const found = await readdir(project);
    expect(found.filter((name) => name.endsWith('.tmp'))).toEqual([]);
    const texts = await Promise.all(names.map((name) => readFile(join(project, name), 'utf8')));
    return [...new Set(texts), `${found.length}`, String(found.includes('link'))];
  };
  const changed = ['new\n', `${2 * FILES + 2}`, 'true'];
  expect(await state()).toEqual(changed);

  for (let kill = 0; kill < KILLS; kill += 1) {
    // Files that were made go first, then the others are put back.
    const at = join(project, `made-${names[Math.floor((kill / KILLS) * FILES)]}`);
    const killed = await runHelve(['undo', '--yes'], {
      ...options,
      onStart: (end) => void until(() => !existsSync(at)).then(() => end('SIGKILL')),
    });
    if (killed.signal === null) break; // it was faster
    // Taking it back may be killed as well.
    if (kill % 2 === 1) {
      await runHelve(['undo', '--list'], {
        ...options,
        onStart: (end) => void until(() => existsSync(at)).then(() => end('SIGKILL')),
      });
    }
    const listed = await runHelve(['undo', '--list'], options);
    expect(listed.stderr).toMatch(/The undo undo_\w+ was cut short when Helve last ran, and was taken back/);
    expect(await state()).toEqual(changed);
    expect(await readdir(join(home, 'journal/open'))).toEqual([]);
  }
  expect((await runHelve(['undo', '--yes'], options)).code).toBe(0);
  expect(await state()).toEqual(['old\n', `${FILES}`, 'false']);
});
