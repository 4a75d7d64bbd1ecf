// Helve as npm leaves it with --omit=optional: the built command line with no package beside it.
import { cp, mkdir, mkdtemp, realpath, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findRipgrep } from '../../src/platform/search/find-ripgrep.js';
import { runInstalled } from '../package/run-installed.js';

test('searches with the rg on PATH where the package is not installed, and says what is missing without one', async () => {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-no-packages-')));
  for (const name of ['bin', 'dist', 'package.json']) {
    await cp(name, join(root, 'helve', name), { recursive: true, filter: (path) => !path.endsWith('.map') });
  }
  const project = join(root, 'project');
  await mkdir(project);
  await writeFile(join(project, 'a.txt'), 'needle\n');
  const programs = join(root, 'programs');
  await mkdir(programs);
  await symlink(findRipgrep(process.env), join(programs, 'rg'));
  const helve = async (path: string, args: readonly string[]) =>
    await runInstalled(process.execPath, [join(root, 'helve/bin/helve.cjs'), ...args], { cwd: project, path });

  const grep = ['call', 'Grep', '{"pattern": "needle"}'];
  expect(await helve(programs, grep)).toMatchObject({ code: 0, stdout: expect.stringContaining('a.txt') });
  const missing = 'ripgrep, which searches need, was not found: reinstall helve with its optional packages, or put';
  for (const args of [grep, ['call', 'Glob', '{"pattern": "*"}'], ['doctor']]) {
    const { stdout, stderr } = await helve(project, args);
    expect(stdout + stderr).toContain(missing);
  }
});
