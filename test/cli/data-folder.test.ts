import { spawnSync } from 'node:child_process';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { emptyFolder, runHelve } from './run-helve.js';

const bash = (command: string) => ({ command, run_in_background: true });

test('a background command of helve call ends with it, and a message says so', async () => {
  const cwd = await emptyFolder();
  const args = ['call', 'Bash', JSON.stringify(bash('sleep 1000')), '--permission-mode', 'bypassPermissions'];
  const run = await runHelve(args, { cwd, env: { IS_SANDBOX: '1' } });
  expect(run.stderr).toMatch(/^helve: 1 background command was ended with the session: \w+: sleep 1000\n$/m);
  expect(run.stdout).toContain('It is stopped when the session ends');
  const lines = ['sleep 1000', 'sleep 1001'].map((command) => JSON.stringify({ tool: 'Bash', input: bash(command) }));
  const piped = await runHelve(['call', '--stdin', '--permission-mode', 'bypassPermissions'], {
    cwd,
    env: { IS_SANDBOX: '1' },
    input: `${lines.join('\n')}\n`,
  });
  expect(piped.stderr).toContain('helve: 2 background commands were ended with the session: ');
});

test('commands that write to a read-only data folder give a clear message', async ({ skip }) => {
  const [home, project] = [await emptyFolder(), await emptyFolder()];
  await writeFile(join(home, 'settings.json'), '{}');
  await mkdir(join(project, '.helve'));
  await writeFile(join(project, '.helve', 'settings.json'), '{"permissions":{"allow":["Read(//etc/hosts)"]}}');
  const readOnly = 'mount --bind "$HELVE_HOME" "$HELVE_HOME" && mount -o remount,bind,ro "$HELVE_HOME" || exit 77';
  const commands = [
    ['config', 'trust', '--yes'],
    ['config', 'set', 'bash.maxBackground', '3'],
    ['mcp', 'add', 'one', '--', 'true'],
  ];
  for (const args of commands) {
    const words = [
      '--mount',
      'bash',
      '-c',
      `${readOnly}; exec "$@"`,
      'bash',
      process.execPath,
      resolve('bin/helve.cjs'),
    ];
    const run = spawnSync('unshare', [...words, ...args], {
      cwd: project,
      env: { ...process.env, HELVE_HOME: home, IS_SANDBOX: '1' },
      encoding: 'utf8',
    });
    if (run.status === 77 || run.error) skip('a file system can not be mounted here');
    expect(`${args.join(' ')}: ${run.stderr}`).toContain(
      `The data folder ${home} can't be written: its file system is read-only. Make it writable, or set HELVE_HOME to another folder. Nothing was changed.`,
    );
    expect(run.stderr).not.toContain('should not have happened');
  }
});

test('the doctor names what is wrong with the data folder', async () => {
  const folder = await emptyFolder();
  await writeFile(join(folder, 'file'), '');
  await symlink('/nonexistent/place', join(folder, 'link'));
  const told = async (home: string): Promise<string> => {
    const { stdout } = await runHelve(['doctor'], { cwd: folder, env: { HELVE_HOME: home } });
    return stdout.split('\n').find((line) => line.includes('Data folder')) ?? '';
  };
  expect(await told('/proc/helve')).toMatch(
    /^✗ .*\/proc\/helve is in a part of the system where no folder can be created/,
  );
  expect(await told(join(folder, 'file'))).toMatch(
    /^✗ Data folder: \S+\/file is a file, .*Move it away, or set HELVE_HOME/,
  );
  expect(await told(join(folder, 'file', 'below'))).toMatch(/^✗ Data folder: \S+\/file is a file, /);
  expect(await told(join(folder, 'link'))).toMatch(/^✗ .*is a symlink without a target/);
  expect(await told(join(folder, 'new', 'one'))).toMatch(/^✓ /);
});
