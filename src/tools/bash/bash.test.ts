import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { ToolFailure } from '../../contract/failure.js';
import type { ToolOutcome } from '../../contract/tool.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { bashTool } from './bash.js';

interface Project {
  root: string;
  results: string;
  /** The context of the next call. */
  context(changes?: Partial<ToolContext>): ToolContext;
  run(input: string | Record<string, unknown>, changes?: Partial<ToolContext>): Promise<ToolOutcome>;
  /** What the model reads. */
  text(input: string | Record<string, unknown>, changes?: Partial<ToolContext>): Promise<string>;
  failure(input: string | Record<string, unknown>, changes?: Partial<ToolContext>): Promise<ToolFailure>;
  progress: string[];
  endSession(): Promise<void>;
}

async function project(): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-bash-')));
  const results = await realpath(await mkdtemp(join(tmpdir(), 'helve-bash-results-')));
  const cleanUps: Array<() => void | Promise<void>> = [];
  const progress: string[] = [];
  let cwd = root;
  let calls = 0;
  const context = (changes: Partial<ToolContext> = {}): ToolContext => {
    calls += 1;
    return {
      callId: `call_${calls}`,
      signal: new AbortController().signal,
      cwd,
      root,
      env: process.env,
      session: {
        id: 'session',
        changeDirectory: (path) => {
          cwd = path;
        },
        ledger: { get: () => undefined, set: () => undefined },
        tools: { deferred: () => [], activate: () => undefined },
        resultFile: async (name) => join(results, name),
        whileRunning: () => () => undefined,
        atEnd: (cleanUp) => void cleanUps.push(cleanUp),
      },
      mayRead: () => true,
      ...changes,
    };
  };
  const run: Project['run'] = async (input, changes) => {
    const accepted = bashTool.accept(typeof input === 'string' ? { command: input } : input);
    if (!accepted.ok) throw new Error(JSON.stringify(accepted.issues));
    const running = accepted.call.run(context(changes));
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
      progress.push(step.value.text);
    }
  };
  return {
    root,
    results,
    context,
    run,
    text: async (input, changes) => String((await run(input, changes)).content),
    failure: async (input, changes) => {
      const error: unknown = await run(input, changes).catch((reason: unknown) => reason);
      if (!(error instanceof ToolFailure)) throw new Error('the call did not fail as a tool fails', { cause: error });
      return error;
    },
    progress,
    endSession: async () => {
      for (const cleanUp of cleanUps) await cleanUp();
    },
  };
}

/** For watching what other processes do; they tell us nothing, so there is no event to wait for. */
async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 30_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`still not so: ${condition}`);
    await delay(5);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A killed process stays in the table until its parent, which may be slow or careless, has taken note.
  return !/^\d+ \(.*\) Z/.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'latin1') : '');
}

const isWritten = (file: string): boolean => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n');

test('gives output and error together and leaves no file behind', async () => {
  const { run, results } = await project();
  const outcome = await run('echo one; echo two >&2');
  expect(outcome).toEqual({
    content: 'one\ntwo',
    data: { output: 'one\ntwo', exitCode: 0, notes: [], durationMs: expect.any(Number) },
    display: { title: 'echo one; echo two >&2', body: { type: 'text', text: 'one\ntwo' } },
  });
  expect(existsSync(join(results, 'call_1.txt'))).toBe(false);
});

test('says so when there is no output', async () => {
  const { text } = await project();
  expect(await text('true')).toBe('(no output)');
});

test('shows output that does not end with a newline', async () => {
  const { text } = await project();
  expect(await text('printf one')).toBe('one');
});

test('shows binary output as text with marks', async () => {
  const { text } = await project();
  expect(await text("printf 'a\\377\\000b'")).toBe('a\ufffd\ufffdb');
});

test('fails with the exit code, the output and the directory', async () => {
  const { root, failure, text } = await project();
  await mkdir(join(root, 'sub'));
  const { message, kind } = await failure('cd sub; echo broken >&2; exit 3');
  expect(message).toBe(`Exit code 3\nbroken\nThe working directory is now ${join(root, 'sub')}.`);
  expect(kind).toBe('exception');
  expect(await text('pwd')).toBe(join(root, 'sub'));
});

test.each([
  ['false', 'Exit code 1\n(no output)'],
  ['kill -SEGV $$', 'Exit code 139 (the shell was ended by SIGSEGV)\n(no output)'],
  ['(exit 137)', 'Exit code 137 (128 + 9: a process was ended by SIGKILL)\n(no output)'],
  ['nosuch', 'Exit code 127\nbash: line 1: nosuch: command not found'],
])('says how %s has failed', async (command, message) => {
  const { failure } = await project();
  expect((await failure(command)).message).toBe(message);
});

test('cuts the output of a failure in the middle and keeps the whole', async () => {
  const { results, failure } = await project();
  const { message } = await failure('echo first; for n in {1..5000}; do echo "line $n"; done; echo last; exit 2');
  expect(message).toMatch(/^Exit code 2\nfirst\n/);
  expect(message).toMatch(/\nlast$/);
  expect(message).toContain(join(results, 'call_1.txt'));
  expect(message.length).toBeLessThan(10_100);
});

test('takes exit code 1 of a search for an answer', async () => {
  const { text, failure } = await project();
  expect(await text('grep nothing /dev/null')).toBe('(no output)\n(exit code 1: no line matches)');
  expect((await failure('grep nothing /nonexistent')).message).toMatch(/^Exit code 2\n/);
  expect((await failure('true && grep nothing /dev/null')).message).toMatch(/^Exit code 1\n/);
});

test('shows long output by its ends, within its limit, and keeps the whole', async () => {
  const { run, results } = await project();
  const { content, data } = await run('echo first; for n in {1..20000}; do echo "line $n"; done; echo last');
  const file = join(results, 'call_1.txt');
  expect(String(content)).toMatch(/^first\n/);
  expect(String(content)).toMatch(/\nlast$/);
  expect(String(content)).toContain(file);
  expect(content.length).toBeLessThanOrEqual(30_000);
  expect(content.length).toBeLessThanOrEqual(bashTool.maxResultChars);
  expect(data).toMatchObject({ outputFile: file });
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(20_003);
});

test('takes 50 MB of output', async () => {
  const { text, results } = await project();
  const shown = await text("yes 'a line of text' | head -c 50000000; echo; echo last");
  expect(shown).toMatch(/characters are left out here/);
  expect(shown).toMatch(/\nlast$/);
  expect((await readFile(join(results, 'call_1.txt'))).length).toBe(50_000_006);
});

test('stops a command that writes without end, and says so', async () => {
  const { failure, results } = await project();
  const { message } = await failure('yes');
  expect(message).toMatch(/^The command wrote more than 64 MiB of output and was stopped\./);
  expect(message).toContain(join(results, 'call_1.txt'));
  expect((await readFile(join(results, 'call_1.txt'))).length).toBe(64 * 1024 * 1024);
});

test('carries the directory over, out of the project too, and says where it is', async () => {
  const { root, text } = await project();
  const outside = await realpath(tmpdir());
  expect(await text(`cd '${outside}'`)).toBe(`(no output)\nThe working directory is now ${outside}.`);
  expect(await text('pwd')).toBe(outside);
  expect(await text(`cd '${root}'; pwd`)).toBe(`${root}\nThe working directory is now ${root}.`);
});

test('keeps the directory when the shell is replaced or moves in a subshell', async () => {
  const { root, text } = await project();
  await mkdir(join(root, 'sub'));
  expect(await text('cd sub; exec echo gone')).toBe('gone');
  expect(await text('(cd sub; pwd)')).toBe(join(root, 'sub'));
  expect(await text('pwd')).toBe(root);
});

test('does not take a directory behind a symlink for a change', async () => {
  const { root, text, context } = await project();
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  expect(await text('true', { ...context(), cwd: join(root, 'link') })).toBe('(no output)');
});

test('runs in the root when the directory is gone, and says so', async () => {
  const { root, text } = await project();
  await text('mkdir sub; cd sub');
  await rm(join(root, 'sub'), { recursive: true });
  expect(await text('pwd')).toBe(
    `${root}\nThe working directory ${join(root, 'sub')} no longer exists, so the command ran in the project's root, ${root}.`,
  );
  expect(await text('pwd')).toBe(root);
});

test('lives on after a command that removes its own directory', async () => {
  const { root, text } = await project();
  expect(await text('mkdir sub; cd sub; rmdir ../sub')).toBe('(no output)');
  expect(await text('pwd')).toBe(root);
});

test('refuses to run when the root is gone too', async () => {
  const { root, failure } = await project();
  await rm(root, { recursive: true });
  expect((await failure('true')).message).toMatch(/^The command was not run: neither/);
});

test('does not carry the environment over', async () => {
  const { text } = await project();
  expect(await text('export LEAKED=1; greet() { :; }; alias hello=echo; echo "$LEAKED"')).toBe('1');
  expect(await text('echo "[$LEAKED]"; type greet hello 2>/dev/null || echo none')).toBe('[]\nnone');
});

test.each(['CLAUDE_ENV_FILE', 'HELVE_ENV_FILE'])('sources the file named by %s before each command', async (name) => {
  const { root, text } = await project();
  const env = { ...process.env, [name]: join(root, 'env.sh') };
  expect(await text('echo "[$GREETING]"', { env })).toBe('[]');
  await writeFile(join(root, 'env.sh'), 'export GREETING=hello\n');
  expect(await text('echo "[$GREETING]"', { env })).toBe('[hello]');
});

test('returns at once from a command that leaves a process behind, which ends with the session', async () => {
  const { root, results, text, endSession } = await project();
  expect(await text('sleep 1000 & echo $! > pid; echo done')).toBe(
    `done\nA process that the command started is still running and ends with the session, unless it has detached itself; what it writes goes to ${join(results, 'call_1.txt')}.`,
  );
  const pid = Number(await readFile(join(root, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await endSession();
  await until(() => !isRunning(pid));
});

test('does not wait for input that nobody can give', async () => {
  const { text } = await project();
  expect(await text('cat')).toBe('(no output)');
});

test('stops a command when its time is up and shows the last 40 lines', async () => {
  const { results, failure } = await project();
  const { message } = await failure({
    command: 'for n in {1..100}; do echo "line $n"; done; sleep 1000',
    timeout: 1_000,
  });
  const [first, ...output] = message.split('\n');
  expect(first).toBe(
    `for n in {1..100}; do echo "line $n"; done; sleep 1000 did not finish in 1 s and was stopped. The last 40 lines of output follow, all of it is in ${join(results, 'call_1.txt')}. Run a smaller part, or raise timeout.`,
  );
  expect(output).toEqual(Array.from({ length: 40 }, (_, index) => `line ${index + 61}`));
});

test.each([
  ['CLAUDE_BASH_TIMEOUT_MS', { CLAUDE_BASH_TIMEOUT_MS: '300', BASH_DEFAULT_TIMEOUT_MS: '60000' }],
  ['BASH_DEFAULT_TIMEOUT_MS', { CLAUDE_BASH_TIMEOUT_MS: 'soon', BASH_DEFAULT_TIMEOUT_MS: '300' }],
])('takes the default timeout from %s', async (_, settings) => {
  const { failure } = await project();
  const { message } = await failure('sleep 1000', { env: { ...process.env, ...settings } });
  expect(message).toMatch(/^sleep 1000 did not finish in 0\.3 s and was stopped\. Its output follows\./);
});

test('accepts a timeout beyond the most and beyond what a timer can hold', async () => {
  const { text } = await project();
  expect(await text({ command: 'echo done', timeout: 1e12 })).toBe('done');
  const env = { ...process.env, BASH_DEFAULT_TIMEOUT_MS: '99999999999999' };
  expect(await text('echo done', { env })).toBe('done');
});

test('ends everything when it is interrupted, and tells what the command wrote until then', async () => {
  const { root, failure } = await project();
  const cancel = new AbortController();
  const running = failure('echo before; sleep 1000 & echo $! > pid; wait', { signal: cancel.signal });
  await until(() => isWritten(join(root, 'pid')));
  cancel.abort(new Error('enough'));
  const { message, kind, cause } = await running;
  expect(message).toMatch(/^The command was interrupted after .* everything it had started was ended\..*\nbefore$/);
  expect({ kind, cause }).toEqual({ kind: 'interrupted', cause: new Error('enough') });
  expect(isRunning(Number(await readFile(join(root, 'pid'), 'utf8')))).toBe(false);
});

test('reports progress by the last lines, and ends the command when nobody listens any more', async () => {
  const { root, context } = await project();
  const accepted = bashTool.accept({ command: 'echo $$ > pid; seq 10; sleep 1000' });
  if (!accepted.ok) throw new Error('the input is right');
  const running = accepted.call.run(context());
  let shown: unknown;
  while (!isDeepStrictEqual(shown, { done: false, value: { text: '6\n7\n8\n9\n10' } })) shown = await running.next();
  const pid = Number(await readFile(join(root, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await running.return({ content: '', data: undefined, display: { title: '' } });
  expect(isRunning(pid)).toBe(false);
});

test('runs several lines with quotes, patterns and a heredoc as they are', async () => {
  const { text } = await project();
  expect(await text(`cat <<'EOF'\n$& "it's" !! \\n \${x}\nEOF\necho 'wow!'`)).toBe(`$& "it's" !! \\n \${x}\nwow!`);
});

test('declares that a command could touch anything', async () => {
  const { context } = await project();
  const accepted = bashTool.accept({ command: 'ls' });
  expect(accepted.ok && (await accepted.call.effects(context()))).toEqual([
    { kind: 'command', text: 'ls', harmless: false },
    { kind: 'unknown', why: 'the command is not analysed, so it could touch anything' },
    { kind: 'session', access: 'write', what: 'cwd' },
  ]);
});

test.each([
  [{}, 'command'],
  [{ command: '' }, 'command'],
  [{ command: 'ls', timeout: 0 }, 'timeout'],
  [{ command: 'ls', timeout: 'long' }, 'timeout'],
  [{ command: 'ls', shell: 'zsh' }, ''],
])('refuses the input %j', (input, path) => {
  expect(bashTool.accept(input)).toMatchObject({ ok: false, issues: [{ path }] });
});

test('is drawn by the first line of its command, while it still streams too', () => {
  expect(bashTool.displayCall({})).toEqual({ title: '' });
  expect(bashTool.displayCall({ command: 'cat <<EOF\nx' })).toEqual({ title: 'cat <<EOF …' });
  const accepted = bashTool.accept({ command: 'cat <<EOF\nx\nEOF' });
  expect(accepted.ok && accepted.call.displayRefusal()).toEqual({
    title: 'cat <<EOF …',
    body: { type: 'text', text: 'cat <<EOF\nx\nEOF' },
  });
});
