import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { runHelve } from '../cli/run-helve.js';

test('the changes of a command can be undone after Helve was killed while it ran, and the command is ended first', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-killed-command-')));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  const pids = join(folder, 'pids');
  onTestFinished(() => {
    for (const pid of pidsIn(pids).filter(isRunning)) process.kill(pid, 'SIGKILL');
  });
  await mkdir(join(project, 'sub'), { recursive: true });
  await writeFile(join(project, 'a'), 'one\n');
  await writeFile(join(project, 'sub/b'), 'two\n');
  const options = { cwd: project, env: { HELVE_HOME: home } };
  const call = ['call', '--permission-mode', 'bypassPermissions', 'Bash'];
  const input = { command: 'echo changed > a; rm -r sub; echo new > c; echo $$ > ../pids; sleep 1000' };
  const killed = await runHelve([...call, JSON.stringify(input)], {
    ...options,
    onStart: (kill) => void until(() => isWritten(pids)).then(() => kill('SIGKILL')),
  });
  expect(killed.signal).toBe('SIGKILL');
  expect((await readdir(project)).toSorted()).toEqual(['a', 'c']);

  expect(pidsIn(pids).filter(isRunning)).toHaveLength(1);
  const listed = await runHelve(['undo', '--list'], options);
  expect(pidsIn(pids).filter(isRunning)).toEqual([]);
  expect(listed.stderr).toMatch(
    /Helve was stopped while it ran echo changed > a; .*\. What was changed until now counts as the work of that command, and an undo can take it back\./,
  );
  expect(listed.stdout).toContain(
    'Helve ended while it ran, so that some of this may be the work of another program or person',
  );
  expect((await runHelve(['undo', '--yes'], options)).code).toBe(0);
  expect((await readdir(project)).toSorted()).toEqual(['a', 'sub']);
  expect(await readFile(join(project, 'a'), 'utf8')).toBe('one\n');
  expect(await readFile(join(project, 'sub/b'), 'utf8')).toBe('two\n');
  expect(await readdir(join(home, 'journal/open'))).toEqual([]);
});

test('files that a command created can be removed by undo after Helve was killed while it ran', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-killed-command-')));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  await mkdir(project, { recursive: true });
  await writeFile(join(project, 'a'), 'one\n');
  const options = { cwd: project, env: { HELVE_HOME: home } };
  const call = ['call', '--permission-mode', 'bypassPermissions', 'Bash'];
  const killed = await runHelve([...call, JSON.stringify({ command: 'echo new > made; sleep 1000' })], {
    ...options,
    onStart: (kill) => void until(() => existsSync(join(project, 'made'))).then(() => kill('SIGKILL')),
  });
  expect(killed.signal).toBe('SIGKILL');
  expect((await runHelve(['undo', '--list'], options)).stdout).toContain(
    'made (by a command; Helve ended while it ran',
  );
  expect((await runHelve(['undo', '--yes'], options)).code).toBe(0);
  expect(await readdir(project)).toEqual(['a']);
  expect(await readdir(join(home, 'journal/commands'))).toEqual([]);
});
