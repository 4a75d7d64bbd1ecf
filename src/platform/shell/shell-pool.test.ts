import { execFileSync } from 'node:child_process';
import { closeSync, lstatSync, openSync, readdirSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { isRunning, pidsIn } from '../../testing/watch-processes.js';
import type { ReadyShell } from './ready-shell.js';
import { createShellPool } from './shell-pool.js';
import type { ShellProcess } from './shell-process.js';
import { startCompleteShell } from './start-shell.js';
import type { WrapShell } from './wrap-shell.js';

async function temporaryFolder(): Promise<string> {
  return await realpath(await mkdtemp(join(tmpdir(), 'helve-shells-')));
}

test('gives each caller a separate shell, prepared ones first', async () => {
  const shells = createShellPool(process.env);
  await shells.fill();
  await shells.fill();
  const taken = await Promise.all([shells.take(), shells.take(), shells.take()]);
  expect(new Set(taken.map(({ tree }) => tree.group)).size).toBe(3);
  for (const shell of taken) shell.discard();
  await Promise.all(taken.map(({ exited }) => exited));
  await shells.end();
});

test('starts another shell after the prepared one was killed', async () => {
  const folder = await temporaryFolder();
  const shells = createShellPool(process.env);
  await shells.fill();
  const first = await shells.take();
  process.kill(first.tree.group, 'SIGKILL');
  await first.exited;
  await first.discard();
  const second = await shells.take();
  second.pipe.copyTo({ file: join(folder, 'output'), maxBytes: 100, onFull: () => {} });
  second.run({ cwd: folder, sourceFile: '', command: 'echo here' });
  await second.exited;
  await second.pipe.drain(1_000);
  expect(await readFile(join(folder, 'output'), 'utf8')).toBe('here\n');
  expect(second.readReport()).toEqual({ begun: true, directory: folder });
  await shells.end();
});

test('leaves only pipes for later shells, and removes its folder at the end', async () => {
  const place = await temporaryFolder();
  vi.stubEnv('TMPDIR', place);
  const shells = createShellPool({ ...process.env });
  const all = [await shells.take(), await shells.take()];
  const [made = ''] = readdirSync(place);
  const names = readdirSync(join(place, made));
  expect(names).not.toContain('1');
  expect(names).not.toContain('2');
  expect(names.every((name) => lstatSync(join(place, made, name)).isFIFO())).toBe(true);
  for (const shell of all) shell.discard();
  await shells.end();
  expect(readdirSync(place)).toEqual([]);
  vi.unstubAllEnvs();
});

test.each([
  ['a file', (path: string) => writeFileSync(path, '')],
  ['a link to another pipe', (path: string) => symlinkSync('3', path)],
])('does not use %s in place of its pipe', async (_, plant) => {
  const place = await temporaryFolder();
  vi.stubEnv('TMPDIR', place);
  const shells = createShellPool({ ...process.env });
  const first = await shells.take();
  const [made = ''] = readdirSync(place);
  rmSync(join(place, made, '2'));
  plant(join(place, made, '2'));
  const second = await shells.take(); // tried again elsewhere
  expect(readdirSync(place)).toHaveLength(2);
  for (const shell of [first, second]) shell.discard();
  await shells.end();
  expect(readdirSync(place)).toEqual([]);
  vi.unstubAllEnvs();
});

test.skipIf(process.platform !== 'linux').each([
  ['its task', 'task'],
  ['its process', 'process'],
])('leaves no descriptor open after a shell whose pipe existed could not get %s', async (_, lacks) => {
  const place = await temporaryFolder();
  const name = join(place, '1');
  execFileSync('mkfifo', [name]);
  if (lacks === 'task') writeFileSync(`${name}-task`, '');
  const start = async (): Promise<ShellProcess> => {
    throw new Error('no process');
  };
  await expect(startCompleteShell(name, { env: process.env, mark: 'a', start })).rejects.toThrow();
  await vi.waitFor(() => expect(descriptorsIn(place)).toEqual([]));
});

function descriptorsIn(place: string): string[] {
  const descriptors = '/proc/self/fd';
  return readdirSync(descriptors).flatMap((name) => {
    const target = linkOf(join(descriptors, name));
    return target?.startsWith(place) ? [target] : [];
  });
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // the descriptor of the listing itself
  }
}

test.skipIf(process.platform !== 'linux')(
  'ends processes that its shells left running, including daemons',
  async () => {
    const folder = await temporaryFolder();
    const shells = createShellPool(process.env);
    const shell = await shells.take();
    shell.pipe.copyTo({ file: join(folder, 'output'), maxBytes: 100, onFull: () => {} });
    const command = `setsid bash -c 'echo $$ > pid; exec sleep 1000' & until [ -s pid ]; do sleep 0.01; done`;
    shell.run({ cwd: folder, sourceFile: '', command });
    await shell.exited;
    shell.pipe.close();
    expect(pidsIn(join(folder, 'pid')).filter(isRunning)).toHaveLength(1);
    await shells.end();
    expect(pidsIn(join(folder, 'pid')).filter(isRunning)).toEqual([]);
  },
);

test('is registered in the data folder while it is open', async () => {
  const dataFolder = await temporaryFolder();
  const shells = createShellPool(process.env, { dataFolder });
  expect(readdirSync(dataFolder)).toEqual([]);
  const shell = await shells.take();
  const [name = ''] = readdirSync(join(dataFolder, 'running'));
  expect(JSON.parse(await readFile(join(dataFolder, 'running', name), 'utf8'))).toMatchObject({
    owner: { pid: process.pid },
    mark: shells.mark,
    folder: expect.stringContaining(join(tmpdir(), 'helve-')),
  });
  await shell.discard();
  await shells.end();
  expect(readdirSync(join(dataFolder, 'running'))).toEqual([]);
});

test('works if the data folder cannot be written', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'file'), '');
  const shells = createShellPool(process.env, { dataFolder: join(folder, 'file') });
  const shell = await shells.take();
  await shell.discard();
  await shells.end();
});

/** A program that waits for a text before it becomes bash, which finds the text in a variable. */
function waitingProgram(aheadAs: string, told: string) {
  const events: string[] = [];
  const wrap: WrapShell = {
    aheadAs,
    async start({ program, args, cwd, env, freeDescriptor }) {
      events.push('started');
      return {
        program: 'bash',
        args: ['-c', `TOLD=$(cat <&${freeDescriptor}) exec "$@"`, 'waiting', program, ...args],
        cwd,
        env,
        descriptors: ['pipe'],
        started: () => undefined,
        group: (child) => child,
        ended: async () => events.push('ended'),
      };
    },
    async applyPolicy(_, { tell }) {
      events.push('told');
      tell(told);
    },
  };
  return { wrap, events };
}

async function outputOf(shell: ReadyShell, command: string): Promise<string> {
  const folder = await temporaryFolder();
  shell.pipe.copyTo({ file: join(folder, 'output'), maxBytes: 1_000, onFull: () => {} });
  shell.run({ cwd: folder, sourceFile: '', command });
  await shell.exited;
  await shell.pipe.drain(1_000);
  shell.readReport();
  await shell.ended();
  return await readFile(join(folder, 'output'), 'utf8');
}

test('a prestarted program gets its policy from the command that takes it, and is used once', async () => {
  const shells = createShellPool(process.env);
  const ahead = waitingProgram('one', 'ahead');
  const [first, second] = [waitingProgram('one', 'first'), waitingProgram('one', 'second')];
  await shells.fill({ wrap: ahead.wrap });
  await shells.fill({ wrap: ahead.wrap });
  expect(await outputOf(await shells.take({ wrap: first.wrap }), 'echo $TOLD')).toBe('first\n');
  expect(await outputOf(await shells.take({ wrap: second.wrap }), 'echo $TOLD')).toBe('second\n');
  expect([ahead.events, first.events, second.events]).toEqual([
    ['started', 'ended'],
    ['told'],
    ['started', 'told', 'ended'],
  ]);
  await shells.end();
});

test('a program of another kind, and one that has ended, are not used', async () => {
  const shells = createShellPool(process.env);
  const [ahead, ended] = [waitingProgram('one', 'ahead'), waitingProgram('two', 'ahead')];
  const { start } = ended.wrap;
  const ending: WrapShell = {
    ...ended.wrap,
    start: async (command) => ({ ...(await start(command)), program: 'false' }),
  };
  for (const wrap of [ahead.wrap, ending]) {
    await shells.fill({ wrap });
    const taken = waitingProgram('two', 'taken');
    expect(await outputOf(await shells.take({ wrap: taken.wrap }), 'echo $TOLD')).toBe('taken\n');
    expect(taken.events).toEqual(expect.arrayContaining(['started', 'ended']));
  }
  await shells.end();
  expect([ahead.events, ended.events]).toEqual([
    ['started', 'ended'],
    ['started', 'ended'],
  ]);
});

test('inherited descriptors are closed before a command runs', async () => {
  const shells = createShellPool(process.env);
  const folder = openSync('/', 'r');
  const { start } = waitingProgram('one', '').wrap;
  const leaking: WrapShell = {
    start: async (command) => ({
      ...(await start(command)),
      args: ['-c', 'exec "$@"', 'leaking', command.program, ...command.args],
      descriptors: [folder, folder],
    }),
  };
  const count = 'for f in /proc/self/fd/*; do [ "$(readlink $f)" = / ] && echo $f; done; echo end';
  expect(await outputOf(await shells.take({ wrap: leaking }), count)).toBe('end\n');
  closeSync(folder);
  await shells.end();
});

test('a waiting program ends with the pool, and its pipe is removed with the folder', async () => {
  const before = new Set(readdirSync(tmpdir()));
  const shells = createShellPool({ ...process.env });
  const { wrap, events } = waitingProgram('one', 'never');
  await shells.fill({ wrap });
  await shells.end();
  expect(events).toEqual(['started', 'ended']);
  const made = readdirSync(tmpdir()).filter((name) => name.startsWith('helve-') && !before.has(name));
  expect(made.filter((name) => /^helve-\w{6}$/.test(name))).toEqual([]);
});

/** Walls that are complete from the start, as a sandbox of the system would be, without one. */
function completeWalls(isCurrent: () => boolean = () => true): WrapShell & { starts: number } {
  const wrap = {
    completeAs: 'these walls',
    starts: 0,
    async start({
      program,
      args,
      cwd,
      env,
    }: {
      program: string;
      args: readonly string[];
      cwd: string;
      env: NodeJS.ProcessEnv;
    }) {
      wrap.starts += 1;
      return {
        program,
        args,
        cwd,
        env,
        descriptors: [],
        started() {},
        group: (pid: number) => pid,
        ended: async () => {},
        isCurrent,
      };
    },
  };
  return wrap;
}

test('keeps two shells with a complete policy ready, and uses each once', async () => {
  const shells = createShellPool(process.env);
  const wrap = completeWalls();
  await shells.fill({ wrap });
  expect(wrap.starts).toBe(2);
  const first = await shells.take({ wrap });
  expect(wrap.starts).toBe(2);
  expect(await outputOf(first, 'echo here; echo there >&2')).toBe('here\nthere\n');
  await shells.fill({ wrap });
  expect(wrap.starts).toBe(3);
  const others = await Promise.all([shells.take({ wrap }), shells.take({ wrap }), shells.take({ wrap })]);
  expect(wrap.starts).toBe(4);
  expect(new Set([first, ...others].map(({ tree }) => tree.group)).size).toBe(4);
  for (const shell of others) shell.discard();
  await shells.end();
});

test('discards a shell whose policy is stale', async () => {
  const shells = createShellPool(process.env);
  let isRight = true;
  const wrap = completeWalls(() => isRight);
  await shells.fill({ wrap });
  isRight = false;
  const shell = await shells.take({ wrap });
  expect(wrap.starts).toBe(3);
  expect(await outputOf(shell, 'echo here')).toBe('here\n');
  await shells.end();
});

test('ends shells with a complete policy when they were unused for a while, unless a prompt is running', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    let isBusy = true;
    const shells = createShellPool(process.env, { isBusy: () => isBusy });
    const wrap = completeWalls();
    await shells.fill({ wrap });
    vi.advanceTimersByTime(60_000);
    await shells.fill({ wrap });
    expect(wrap.starts).toBe(2);
    isBusy = false;
    vi.advanceTimersByTime(10_000);
    await shells.fill({ wrap });
    expect(wrap.starts).toBe(4);
    vi.useRealTimers();
    await shells.end();
  } finally {
    vi.useRealTimers();
  }
});

test('a command has no inherited descriptor except the control channel, and can write to no file by one', async () => {
  const shells = createShellPool(process.env);
  const wrap = completeWalls();
  for (const shell of [await shells.take(), await shells.take({ wrap })]) {
    const output = await outputOf(shell, 'for fd in /proc/$$/fd/*; do readlink "$fd"; done');
    expect(
      output
        .split('\n')
        .filter((line) => line.startsWith('/') && line !== '/dev/null' && !line.startsWith('/tmp/helve-')),
    ).toEqual([]);
    expect(output).not.toContain('-task');
  }
  await shells.end();
});
