import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { chooseSandbox, describeSandbox, mayLackSandbox } from './choose.js';

async function folderWithBwrap(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-choose-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, 'bwrap'),
    `#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n`,
  );
  await chmod(join(folder, 'bwrap'), 0o755);
  return folder;
}

test('if bwrap is missing, says so and what to install', async () => {
  const sandbox = await chooseSandbox({ env: { PATH: '/nowhere' }, workspace: [], platform: 'linux' });
  expect(sandbox.kind).toBe('none');
  expect(sandbox.why).toMatch(/bwrap was not found.*apt install bubblewrap/);
});

test('a bwrap from the workspace, from a relative folder, or from one that others can write is not used', async () => {
  const folder = await folderWithBwrap();
  const inWorkspace = { env: { PATH: folder }, workspace: [folder], platform: 'linux' } as const;
  expect((await chooseSandbox(inWorkspace)).why).toContain('was not found');
  expect((await chooseSandbox({ ...inWorkspace, env: { PATH: '.:bin::' } })).why).toContain('was not found');
  await mkdir(join(folder, 'open'));
  await writeFile(join(folder, 'open/bwrap'), '#!/bin/sh\n', { mode: 0o755 });
  await chmod(join(folder, 'open'), 0o777);
  const open = { env: { PATH: join(folder, 'open') }, workspace: [], platform: 'linux' } as const;
  expect((await chooseSandbox(open)).why).toContain('was not found');
});

test.runIf(process.getuid?.() === 0 && process.platform === 'linux')(
  'a bwrap that does not work is not used, and its own message and the remedy are reported',
  async () => {
    const folder = await folderWithBwrap();
    const readMachine = (path: string): string | undefined => (path.includes('apparmor') ? '1' : undefined);
    const search = { env: { PATH: folder }, workspace: [], platform: 'linux', readMachine } as const;
    const sandbox = await chooseSandbox(search);
    expect(sandbox.kind).toBe('none');
    expect(sandbox.why).toMatch(/bwrap does not work here \(setting up uid map: Permission denied\).*AppArmor/);
    expect(mayLackSandbox(search)).toBe(true);
  },
);

test('without a sandbox a command runs unchanged', async () => {
  const sandbox = await chooseSandbox({ env: {}, workspace: [], platform: 'win32' });
  const policy = {
    workspace: [],
    writable: [],
    hidden: [],
    readOnly: [],
    network: 'off',
    temp: '/tmp',
    home: '/',
  } as const;
  const command = { program: 'bash', args: ['-c', 'true'], cwd: '/w', env: { A: '1' }, freeDescriptor: 3 };
  const { program, args, cwd, env } = await sandbox.wrap(command, policy);
  expect({ program, args, cwd, env }).toEqual({ program: 'bash', args: ['-c', 'true'], cwd: '/w', env: { A: '1' } });
});

test('the doctor reports the sandbox in use, or why there is none', () => {
  expect(describeSandbox({ kind: 'none', why: 'no bwrap' })).toEqual({
    what: 'Sandbox',
    state: 'missing',
    detail: 'no bwrap',
  });
  expect(describeSandbox({ kind: 'bubblewrap', why: 'it holds' }).state).toBe('ok');
});
