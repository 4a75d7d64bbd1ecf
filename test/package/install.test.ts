// The installed package on each version of Node that it is for.
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { jsonLines } from '../cli/run-helve.js';
import { findOldNode, nodes } from './nodes.js';
import { INSTALL_MS, type InstalledPackage, installedPackage } from './pack-once.js';
import { type InstalledRun, runInstalled } from './run-installed.js';

let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installedPackage();
}, INSTALL_MS);

describe.each(nodes)('on $name', ({ path, missing }) => {
  const helve = async (args: readonly string[], input = '', cwd?: string): Promise<InstalledRun> =>
    await runInstalled(path, [join(installed.folder, 'node_modules/helve/bin/helve.cjs'), ...args], { input, cwd });

  test('the installed helve prints its version, finds its dependencies, and plays the demo', async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const { version } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await helve(['--version'])).toEqual({ code: 0, stdout: `helve ${version}\n`, stderr: '' });
    const checked = await helve(['doctor', '--json']);
    expect(JSON.parse(checked.stdout).filter(({ state }: { state: string }) => state === 'broken')).toEqual([]);
    expect(checked.stdout).toContain(join(installed.folder, 'node_modules/@vscode'));
    const played = await helve(['demo']);
    expect({ code: played.code, stderr: played.stderr }).toEqual({ code: 0, stderr: '' });
    expect(played.stdout).toContain('To use Helve with a real model');
  });

  test('the installed helve call reads files, runs commands and searches', async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const cwd = await mkdtemp(join(tmpdir(), 'helve-installed-'));
    await writeFile(join(cwd, 'notes.txt'), Buffer.from('ein Stück Käse, schön gewürzt, für später\n', 'latin1'));
    const calls = [
      { id: 1, tool: 'Read', input: { file_path: 'notes.txt' } },
      { id: 2, tool: 'Bash', input: { command: 'echo one two | wc -w' } },
      { id: 3, tool: 'Grep', input: { pattern: '^ein St', output_mode: 'files_with_matches' } },
    ];
    const { stdout, stderr } = await helve(
      ['call', '--stdin'],
      calls.map((call) => JSON.stringify(call)).join('\n'),
      cwd,
    );
    expect(stderr).toBe('');
    expect(jsonLines(stdout)).toEqual([
      expect.objectContaining({ id: 1, is_error: false, content: expect.stringContaining('ein Stück Käse') }),
      expect.objectContaining({ id: 2, is_error: false, content: '2' }),
      expect.objectContaining({ id: 3, is_error: false, content: expect.stringContaining('notes.txt') }),
    ]);
  });

  test('every entry of the package and the optional image package can be imported', async ({ skip }) => {
    if (missing !== undefined) skip(missing);
    const manifest = JSON.parse(await readFile(join(installed.folder, 'node_modules/helve/package.json'), 'utf8'));
    const entries = Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith('.json'))
      .map((entry) => entry.replace(/^\./, 'helve'));
    expect(entries).toEqual(expect.arrayContaining(['helve', 'helve/tools', 'helve/models', 'helve/testing']));
    const program = `for (const name of ${JSON.stringify([...entries, 'sharp'])}) {
      console.log(name, Object.keys(await import(name)).length > 0);
    }`;
    const run = await runInstalled(path, ['--input-type=module', '--eval', program], { cwd: installed.folder });
    expect(run).toEqual({
      code: 0,
      stdout: [...entries, 'sharp'].map((name) => `${name} true\n`).join(''),
      stderr: '',
    });
  });
});

test('on a Node that is too old, helve says which one it needs', async ({ skip }) => {
  const old = findOldNode();
  if (old === undefined) return skip('there is no Node below 22.12 on the path.');
  const run = await runInstalled(old, [join(installed.folder, 'node_modules/helve/bin/helve.cjs'), 'doctor']);
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toMatch(
    /^helve needs Node 22\.12 or newer, but this is Node \d+\.\d+\.\d+\.\nInstall a newer Node\./,
  );
});
