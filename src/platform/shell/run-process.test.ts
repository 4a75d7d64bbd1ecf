import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { isRunning, isWritten, pidsIn, until } from '../../testing/watch-processes.js';
import { chooseSandbox } from '../sandbox/choose.js';
import { type ProcessOptions, type ProcessResult, startCommand } from './run-process.js';
import { createShellPool } from './shell-pool.js';
import type { WrapShell } from './wrap-shell.js';

type Finished = Omit<ProcessResult, 'save'> & { outputFile: string; output: string };

interface Bench {
  folder: string;
  /** What was left running, and how to end it. */
  left: Array<() => Promise<void>>;
  run(command: string, options?: Partial<ProcessOptions>): Promise<Finished>;
}

async function bench(env: NodeJS.ProcessEnv = process.env): Promise<Bench> {
  const shells = createShellPool(env);
  onTestFinished(() => shells.end());
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-run-process-')));
  const left: Bench['left'] = [];
  let runs = 0;
  return {
    folder,
    left,
    async run(command, options = {}) {
      runs += 1;
      const running = await startCommand({
        command,
        cwd: folder,
        outputFile: join(folder, `output-${runs}`),
        shells,
        timeoutMs: 60_000,
        signal: new AbortController().signal,
        onLeftRunning: (end) => left.push(end),
        ...options,
      });
      const { save, ...result } = await running.finished;
      const outputFile = await save();
      return { ...result, outputFile, output: await readFile(outputFile, 'utf8') };
    },
  };
}

const pidIn = (file: string): number => pidsIn(file)[0] ?? 0;

test('returns the exit code, the output of both streams in order, and the directory', async () => {
  const { folder, run } = await bench();
  expect(await run('echo one; echo two >&2; echo three; exit 3')).toEqual({
    exitCode: 3,
    signal: null,
    stoppedBy: null,
    durationMs: expect.any(Number),
    finalCwd: folder,
    outputFile: join(folder, 'output-1'),
    outputBytes: 14,
    leftRunning: false,
    output: 'one\ntwo\nthree\n',
  });
});

test('keeps the output file private', async () => {
  const { run } = await bench();
  const { outputFile } = await run('echo secret');
  expect((await stat(outputFile)).mode & 0o777).toBe(0o600);
});

test('needs no file for a short output, and makes one when it is asked for or the output grows', async () => {
  const { folder, run } = await bench();
  const made: string[] = [];
  const outputFile = async (): Promise<string> => {
    made.push(join(folder, `made-${made.length}`));
    return made.at(-1) ?? '';
  };
  const { finished } = await startCommand({
    command: 'echo short',
    cwd: folder,
    outputFile,
    shells: createShellPool(process.env),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onLeftRunning: () => undefined,
  });
  const short = await finished;
  expect(short.heldOutput?.toString()).toBe('short\n');
  expect(made).toEqual([]);
  expect(await readFile(await short.save(), 'utf8')).toBe('short\n');
  expect(made).toHaveLength(1);
  const long = await run('for i in {1..5000}; do echo line $i; done', { outputFile });
  expect(long.heldOutput).toBeUndefined();
  expect(long.output.split('\n')).toHaveLength(5_001);
  expect(long.output).toContain('line 1\nline 2\n');
  expect(made).toHaveLength(2);
});

test('a file for the output that cannot be made ends a command with much output, and says why', async () => {
  const { run } = await bench();
  const outputFile = async (): Promise<string> => '/nonexistent/output';
  await expect(run('yes', { outputFile })).rejects.toThrow(
    /stopped because its output could not be saved.*nonexistent/s,
  );
});

test('keeps earlier output when a command reopens /dev/stdout or /dev/stderr', async () => {
  const { run } = await bench();
  const { output } = await run(
    'echo one; echo two > /dev/stderr; echo three > /dev/stdout; echo four | tee /dev/stderr',
  );
  expect(output).toBe('one\ntwo\nthree\nfour\nfour\n');
});

test('names the signal that ended the shell', async () => {
  const { run } = await bench();
  expect(await run('kill -KILL $$')).toMatchObject({ exitCode: null, signal: 'SIGKILL' });
});

test.each([
  ['a cd', 'cd sub', 0],
  ['a cd before a failure', 'cd sub; false', 1],
  ['a cd before exit', 'cd sub && exit 3', 3],
  ['a cd under set -e', 'set -e; cd sub; false; cd ..', 1],
  ['a cd in a command with an exit trap', "trap 'echo bye' EXIT; cd sub", 0],
  ['a cd with descriptor 3 in use', 'exec 3> three; cd sub; echo x >&3', 0],
  ['a cd with every higher descriptor closed', 'cd sub; for n in {3..20}; do eval "exec $n>&-"; done', 0],
])('reports the directory after %s', async (_, command, exitCode) => {
  const { folder, run } = await bench();
  await mkdir(join(folder, 'sub'));
  expect(await run(command)).toMatchObject({ exitCode, finalCwd: join(folder, 'sub') });
});

test.each([
  ['exec replaces the shell', 'cd sub; exec true'],
  ['the directory was removed', 'cd sub; rmdir ../sub'],
  ['the shell is killed', 'cd sub; kill -KILL $$'],
])('reports no directory when %s', async (_, command) => {
  const { folder, run } = await bench();
  await mkdir(join(folder, 'sub'));
  expect((await run(command)).finalCwd).toBeUndefined();
});

test('reports a directory whose name has a newline', async () => {
  const { folder, run } = await bench();
  expect((await run("mkdir $'a\\nb\\n' && cd $'a\\nb\\n'")).finalCwd).toBe(join(folder, 'a\nb\n'));
});

test('adds nothing to the output of a traced or misused shell', async () => {
  const { run } = await bench();
  expect((await run('set -x; echo a')).output).toBe('++ echo a\na\n'); // two marks, for bash counts our eval
  expect(await run('exec 99>&-; echo a; exit 4')).toMatchObject({ exitCode: 4, output: 'a\n' });
});

test('writes nothing into a file that the command opened as descriptor 3', async () => {
  const { folder, run } = await bench();
  await run('exec 3> three; echo x >&3');
  expect(await readFile(join(folder, 'three'), 'utf8')).toBe('x\n');
});

test.each([
  ['quotes', `printf '%s|' "it's" 'a "b"' $'c\\'d'`, `it's|a "b"|c'd|`],
  ['replacement patterns', "printf '%s' '$& $1 $$ $` %s \\\\1'", '$& $1 $$ $` %s \\\\1'],
  ['exclamation marks', 'echo "wow!" \'!!\'', 'wow! !!\n'],
  ['newlines', 'echo a\necho b\n\n', 'a\nb\n'],
  ['a heredoc', "cat <<'EOF'\n$x `y` \\z\n\ttab\nEOF", '$x `y` \\z\n\ttab\n'],
  ['a heredoc without an end', 'cat <<EOF 2>&1\nx', expect.stringContaining('x\n')],
  ['no positional parameters', 'echo "$#$*"', '0\n'],
  ['a leading dash', '-x', expect.stringContaining('-x: command not found')],
  ['a line number', 'true\ntrue\nnosuch', 'bash: line 3: nosuch: command not found\n'],
  ['a carriage return', "printf 'a\rb'", 'a\rb'],
])('passes a command with %s on unchanged', async (_, command, output) => {
  const { run } = await bench();
  expect((await run(command)).output).toEqual(output);
});

test('passes any text on byte for byte', async () => {
  const { run } = await bench();
  const text = fc.string({ unit: 'binary', maxLength: 200 }).map((value) => value.replaceAll('\0', '').toWellFormed());
  await fc.assert(
    fc.asyncProperty(text, async (value) => {
      const { output } = await run(`printf %s '${value.replaceAll("'", `'\\''`)}'`);
      expect(output).toBe(value);
    }),
    { numRuns: 30 },
  );
});

test('runs a command of 200 KB of characters of four bytes', async () => {
  const { run } = await bench();
  const text = '😀'.repeat(50_000);
  expect(await run(`printf %s '${text}'`)).toMatchObject({ exitCode: 0, output: text });
});

test('runs a command of 8 MB, which no argument list could hold', async () => {
  const { run } = await bench();
  expect(await run(`: ${'x'.repeat(8_000_000)}; echo done`)).toMatchObject({ exitCode: 0, output: 'done\n' });
});

test('refuses a command with a NUL character', async () => {
  const { run } = await bench();
  await expect(run('echo a\0b')).rejects.toThrow(/NUL character/);
});

test('reports that the directory to run in does not exist', async () => {
  const { folder, run } = await bench();
  await expect(run('true', { cwd: join(folder, 'gone') })).rejects.toThrow(/working directory .*gone does not exist/);
});

test('reports that there is no bash', async () => {
  const { run } = await bench({ PATH: tmpdir() });
  await expect(run('true')).rejects.toThrow(/bash could not be started.*on PATH/);
});

test('gives a command an empty standard input', async () => {
  const { run } = await bench();
  expect(await run('cat; read -r line; echo "read $?"')).toMatchObject({ exitCode: 0, output: 'read 1\n' });
});

test('gives a command no terminal', async () => {
  const { run } = await bench();
  expect((await run('(exec < /dev/tty) 2>/dev/null || echo none')).output).toBe('none\n');
});

test('neutralises variables that would wait for a person or change the shell', async () => {
  const startup = join(await mkdtemp(join(tmpdir(), 'helve-run-process-')), 'startup');
  await writeFile(startup, 'echo started');
  const { run } = await bench({
    ...process.env,
    BASH_ENV: startup,
    ENV: startup,
    PROMPT_COMMAND: 'echo prompt',
    SHELLOPTS: 'xtrace',
    EDITOR: 'vim',
    PAGER: 'less',
    KEPT: 'yes',
  });
  const names = 'PAGER GIT_PAGER EDITOR VISUAL GIT_EDITOR GIT_TERMINAL_PROMPT TERM BASH_ENV ENV PROMPT_COMMAND KEPT';
  const { output } = await run(`for name in ${names}; do echo "$name=\${!name-unset}"; done; set -o | grep xtrace`);
  expect(output.trim().split(/\n/)).toEqual([
    'PAGER=cat',
    'GIT_PAGER=cat',
    'EDITOR=true',
    'VISUAL=true',
    'GIT_EDITOR=true',
    'GIT_TERMINAL_PROMPT=0',
    'TERM=dumb',
    'BASH_ENV=unset',
    'ENV=unset',
    'PROMPT_COMMAND=unset',
    'KEPT=yes',
    expect.stringMatching(/^xtrace\s+off$/),
  ]);
});

test('sources a file first, and continues if it is missing', async () => {
  const { folder, run } = await bench();
  const sourceFile = join(folder, 'env file.sh');
  expect((await run('echo "[$GREETING]"', { sourceFile })).output).toBe('[]\n');
  await writeFile(sourceFile, 'GREETING=hello; greet() { echo "$GREETING"; }');
  expect((await run('greet', { sourceFile })).output).toBe('hello\n');
});

test('returns at once when a child holds the output open, and ends the child with the session', async () => {
  const { folder, left, run } = await bench();
  const result = await run('sleep 1000 & echo $! > pid; echo done');
  expect(result).toMatchObject({ exitCode: 0, output: 'done\n', leftRunning: true });
  const pid = pidIn(join(folder, 'pid'));
  expect(isRunning(pid)).toBe(true);
  expect(left).toHaveLength(1);
  await left[0]?.();
  await until(() => !isRunning(pid));
});

test('ends a leftover child that ignores SIGTERM', async () => {
  const { folder, left, run } = await bench();
  await run(
    `bash -c 'trap "" TERM; echo $$ > pid; while :; do sleep 1; done' > /dev/null 2>&1 & until [ -s pid ]; do sleep 0.01; done`,
  );
  const pid = pidIn(join(folder, 'pid'));
  expect(isRunning(pid)).toBe(true);
  await left[0]?.();
  await until(() => !isRunning(pid));
});

test('keeps saving the output of a leftover child', async () => {
  const { folder, left, run } = await bench();
  const { outputFile, output } = await run('mkfifo go; { read -r line < go; echo "later $line"; } & echo first');
  expect(output).toBe('first\n');
  await writeFile(join(folder, 'go'), 'word\n');
  await until(() => readFileSync(outputFile, 'utf8') === 'first\nlater word\n');
  await left[0]?.();
});

test('includes the last lines of a process substitution that outlives the shell', async () => {
  const { run } = await bench();
  expect((await run('echo a > >(while read -r line; do echo "got $line"; done)')).output).toBe('got a\n');
});

test('stops a whole tree that ignores SIGTERM at the timeout', async () => {
  const { folder, left, run } = await bench();
  const stubborn = `trap "" TERM; echo $$ > $0; while :; do sleep 1; done`;
  const command = `trap '' TERM; bash -c '${stubborn}' first & bash -c '${stubborn}' second; echo never`;
  const result = await run(command, { timeoutMs: 2_000 });
  expect(result).toMatchObject({ stoppedBy: 'timeout', leftRunning: false, output: '' });
  expect(left).toEqual([]);
  for (const file of ['first', 'second']) expect(isRunning(pidIn(join(folder, file)))).toBe(false);
});

test('ends all processes when it is aborted, and keeps the output until then', async () => {
  const { folder, run } = await bench();
  const cancel = new AbortController();
  const running = run('echo before; sleep 1000 & echo $! > child; wait; echo after', { signal: cancel.signal });
  await until(() => isWritten(join(folder, 'child')));
  cancel.abort(new Error('enough'));
  expect(await running).toMatchObject({ stoppedBy: 'abort', output: 'before\n', leftRunning: false });
  expect(isRunning(pidIn(join(folder, 'child')))).toBe(false);
});

test('does not start if it is already aborted', async () => {
  const { folder, run } = await bench();
  await expect(run('touch ran', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect(existsSync(join(folder, 'ran'))).toBe(false);
});

test('processes 50 MB of output without holding it in memory', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'helve-run-process-'));
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  const running = await startCommand({
    command: 'head -c 50000000 /dev/zero',
    cwd: folder,
    outputFile: join(folder, 'output'),
    shells: createShellPool(process.env),
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onLeftRunning: () => undefined,
  });
  const result = await running.finished;
  clearInterval(watch);
  expect(result).toMatchObject({ exitCode: 0, outputBytes: 50_000_000, stoppedBy: null });
  expect((await stat(await result.save())).size).toBe(50_000_000);
  expect(most - before).toBeLessThan(40_000_000);
});

test('stops a command at the limit of its output, to the byte', async () => {
  const { run } = await bench();
  const result = await run('yes', { maxOutputBytes: 1_000 });
  expect(result).toMatchObject({ stoppedBy: 'output', outputBytes: 1_000, leftRunning: false });
  expect(result.output).toBe('y\n'.repeat(500));
});

test('also stops a leftover child at the limit of the output', async () => {
  const { folder, run } = await bench();
  const options = { maxOutputBytes: 1_000 };
  const { outputFile } = await run('mkfifo go; { echo $BASHPID > pid; read -r line < go; yes; } & echo first', options);
  await until(() => isWritten(join(folder, 'pid')));
  await writeFile(join(folder, 'go'), '\n');
  await until(() => !isRunning(pidIn(join(folder, 'pid'))));
  expect((await stat(outputFile)).size).toBe(1_000);
});

test.skipIf(!existsSync('/dev/full'))('stops a command if the disk is full, and says so', async () => {
  const { left, run } = await bench();
  await expect(run('echo one; sleep 1000', { outputFile: '/dev/full' })).rejects.toThrow(
    /^The command was stopped because its output could not be saved to \/dev\/full: ENOSPC/,
  );
  expect(left).toEqual([]);
});

test('sets variables for one command, and not for the next', async () => {
  const { run } = await bench({ ...process.env, KEPT: 'yes', CHANGED: 'no' });
  const env = { CHANGED: `it's "new"\nand $HOME`, EMPTY: '', GIT_OPTIONAL_LOCKS: '0' };
  const command = `printenv KEPT CHANGED GIT_OPTIONAL_LOCKS; echo "[\${EMPTY-unset}]"; compgen -v helve_ | grep -e name -e value`;
  expect((await run(command, { env })).output).toBe(`yes\nit's "new"\nand $HOME\n0\n[]\n`);
  expect((await run(command)).output).toBe('yes\nno\n[unset]\n');
});

test.each([
  ['A B', 'x'],
  ['A=B', 'x'],
  ['', 'x'],
  ['A', 'x\0B'],
])('refuses the variable %j with the value %j', async (name, value) => {
  const { run } = await bench();
  await expect(run('true', { env: { [name]: value } })).rejects.toThrow(/can't be given the variable/);
});

test('starts bash through another program', async () => {
  const { folder, run } = await bench();
  const done: string[] = [];
  const wrap: WrapShell = {
    async start({ program, args, cwd, env, freeDescriptor, folder: pipes }) {
      expect(existsSync(pipes)).toBe(true);
      return {
        program: 'bash',
        args: ['-c', `exec "$@"`, 'wrapper', program, ...args],
        cwd,
        env: { ...env, WRAPPED: `descriptors from ${freeDescriptor}` },
        descriptors: [],
        started: () => done.push('started'),
        group: (child) => child,
        ended: async () => done.push('ended'),
      };
    },
  };
  const { output, finalCwd } = await run('echo "$WRAPPED"', { wrap });
  expect({ output, finalCwd }).toEqual({ output: 'descriptors from 5\n', finalCwd: folder });
  expect(done).toEqual(['started', 'ended']);
});

test('notifies the wrapper of the end if the program cannot be started', async () => {
  const { run } = await bench();
  const done: string[] = [];
  const wrap: WrapShell = {
    start: async ({ cwd, env }) => ({
      program: '/nonexistent',
      args: [],
      cwd,
      env,
      descriptors: [],
      started: () => done.push('started'),
      group: () => undefined,
      ended: async () => done.push('ended'),
    }),
  };
  await expect(run('true', { wrap })).rejects.toThrow(/bash could not be started/);
  expect(new Set(done)).toEqual(new Set(['started', 'ended']));
});

test.skipIf(process.platform !== 'linux').each([
  ['time is up', { timeoutMs: 1_000 }, 'timeout'],
  ['there is too much output', { maxOutputBytes: 10_000 }, 'output'],
] as const)('ends daemons that left the group when %s', async (_, options, stoppedBy) => {
  const { folder, run } = await bench();
  const daemon = `setsid bash -c 'echo $$ >> pids; exec sleep 1000' < /dev/null > /dev/null 2>&1 &`;
  const wait = 'until [ "$(wc -l < pids)" = 2 ]; do sleep 0.01; done';
  const print = stoppedBy === 'output' ? 'yes' : 'sleep 1000';
  const result = await run(`touch pids; ${daemon} (${daemon}) & ${wait}; ${print}`, options);
  expect(result).toMatchObject({ stoppedBy, leftRunning: false });
  expect(pidsIn(join(folder, 'pids'))).toHaveLength(2);
  expect(pidsIn(join(folder, 'pids')).filter(isRunning)).toEqual([]);
});

test('hands a command over at its timeout, and the new owner can stop it', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-run-process-')));
  const shells = createShellPool(process.env);
  onTestFinished(() => shells.end());
  const cancel = new AbortController();
  const taken = Promise.withResolvers<void>();
  const running = await startCommand({
    command: 'echo $$ > pid; sleep 1000',
    cwd: folder,
    outputFile: join(folder, 'output'),
    shells,
    timeoutMs: 300,
    signal: cancel.signal,
    onTimeUp: () => {
      taken.resolve();
      return true;
    },
    onLeftRunning: () => undefined,
  });
  await taken.promise;
  await until(() => isWritten(join(folder, 'pid')));
  cancel.abort();
  expect(isRunning(pidIn(join(folder, 'pid')))).toBe(true);
  running.stop('request');
  expect(await running.finished).toMatchObject({ stoppedBy: 'request', leftRunning: false });
  expect(isRunning(pidIn(join(folder, 'pid')))).toBe(false);
});

test('runs inside a sandbox, and ends all processes there', async ({ skip }) => {
  const sandbox = await chooseSandbox({ env: process.env, workspace: [] });
  if (sandbox.kind === 'none') skip(sandbox.why);
  const { folder, run } = await bench();
  const temp = await realpath(await mkdtemp(join(tmpdir(), 'helve-run-process-')));
  const wrap: WrapShell = {
    start: ({ folder: pipes, ...command }) =>
      sandbox.wrap(command, {
        workspace: [folder],
        writable: [pipes],
        hidden: [],
        readOnly: [],
        network: 'off',
        temp,
        home: temp,
      }),
  };
  const written = await run('echo "in $PWD"; echo x > file; echo y 2>/dev/null > /etc/helve-test || echo held', {
    wrap,
  });
  expect(written).toMatchObject({ exitCode: 0, output: `in ${folder}\nheld\n`, finalCwd: folder });
  const stopped = await run(`trap 'echo asked; exit' TERM; touch begun; sleep 1000 & wait`, { wrap, timeoutMs: 3_000 });
  expect(stopped).toMatchObject({ stoppedBy: 'timeout', leftRunning: false, output: 'asked\n' });
});

test("refuses a command if its confinement cannot be set up, with the sandbox's reason", async () => {
  const { run } = await bench();
  const wrap: WrapShell = {
    completeAs: 'walls that fail',
    async start({ cwd, env }) {
      const args = ['-c', 'echo "bwrap: no room for a mount" >&2; exit 1'];
      return {
        program: 'bash',
        args,
        cwd,
        env,
        descriptors: [],
        started() {},
        group: (pid) => pid,
        ended: async () => {},
      };
    },
  };
  await expect(run('true', { wrap })).rejects.toThrow(
    'The command was not run because what confines it could not be set up: bwrap: no room for a mount.',
  );
});
