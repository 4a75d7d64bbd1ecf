// A process that swaps links while calls go down the whole path: what a rule denies is never shown and never written,
// whatever a name leads to by the time that it is used.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { type TestProject, temporaryProject } from '../../src/testing/temporary-project.js';

const FLIPS = process.env['HELVE_SOAK'] ? 100_000 : 3_000;
const LEAST_CALLS = 30;

/** Puts one link after the other in the place of `name`, each at once. */
const flipper = `
const { renameSync, symlinkSync } = require('node:fs');
const [name, count, ...targets] = process.argv.slice(1);
for (let flip = 0; flip < Number(count); flip += 1) {
  symlinkSync(targets[flip % targets.length], name + '.next');
  renameSync(name + '.next', name);
}`;

const SECRET = 'TOP-SECRET\n';

async function projectWithLinks(): Promise<TestProject> {
  const files = { 'plain/a.txt': 'plain\n', 'secret/a.txt': SECRET };
  const project = await temporaryProject(files, { permissions: { deny: ['Read(/secret/**)'] } });
  await mkdir(project.path('links'));
  await symlink(project.path('plain/a.txt'), project.path('links/file'));
  await symlink(project.path('plain'), project.path('links/folder'));
  return project;
}

test.each([
  ['a file', 'links/file', ['plain/a.txt', 'secret/a.txt'], 'links/file'],
  ['a folder', 'links/folder', ['plain', 'secret'], 'links/folder/a.txt'],
  ['a folder without the file', 'links/folder', ['plain', 'secret'], 'links/folder/new.txt'],
])(
  'a symlink to %s that is swapped while tools run reveals no denied file and changes none',
  async (_, name, targets, used) => {
    const project = await projectWithLinks();
    const args = [project.path(name), String(FLIPS), ...targets.map((target) => project.path(target))];
    const child = spawn(process.execPath, ['-e', flipper, ...args], { stdio: 'inherit' });
    const ended = once(child, 'exit');
    let isOver = false;
    void ended.then(() => {
      isOver = true;
    });

    const said: string[] = [];
    const kept: string[] = [];
    const call = async (tool: string, input: Record<string, unknown>): Promise<void> => {
      const [result] = await project.engine.callTools([{ id: 'x', name: tool, input }]);
      said.push(JSON.stringify(result?.content));
      kept.push(await project.text('secret/a.txt'));
    };
    for (let round = 0; !isOver || round < LEAST_CALLS; round += 1) {
      await call('Read', { file_path: used });
      await call('Write', { file_path: used, content: `written ${round}\n` });
      await call('Edit', { file_path: used, old_string: 'written', new_string: 'edited' });
      await call('Edit', { file_path: used, old_string: 'SECRET', new_string: 'gone' });
      await call('Grep', { pattern: '.', path: 'links', output_mode: 'content' });
    }
    expect((await ended)[0]).toBe(0);
    expect(said.filter((text) => text.includes('TOP-SECRET'))).toEqual([]);
    expect(new Set(kept)).toEqual(new Set([SECRET]));
    expect(await readdir(project.path('secret'))).toEqual(['a.txt']);

    // The same calls work once the link is left alone, so it was the swapping that they refused.
    await rm(project.path(name));
    await symlink(project.path(targets[0] ?? ''), project.path(name));
    await call('Read', { file_path: used });
    await call('Write', { file_path: used, content: 'written at last\n' });
    expect(said.at(-1)).toMatch(/Created|Updated/);
    await project.remove();
  },
  600_000,
);
