import { existsSync } from 'node:fs';
import { mkdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import type { FullEngineOptions } from '../../compose/options.js';
import { limitFolders } from '../../platform/shell/limits.js';
import { type ToolRun, temporaryProject } from '../../testing/temporary-project.js';
import { isRunning, isWritten, pidsIn, until } from '../../testing/watch-processes.js';
import { bashTool } from './bash.js';

type Input = string | Record<string, unknown>;

async function project(options: Pick<FullEngineOptions, 'env'> = {}) {
  const made = await temporaryProject({}, options);
  onTestFinished(() => made.remove());
  const run = (input: Input, more?: { signal: AbortSignal }): Promise<ToolRun> =>
    made.run(bashTool, typeof input === 'string' ? { command: input } : input, more);
  return {
    ...made,
    results: made.engine.session.resultsFolder,
    run,
    /** The model's text for a call that succeeds. */
    text: async (input: Input): Promise<string> => {
      const { content, isError } = await run(input);
      expect({ content, isError }).toMatchObject({ isError: false });
      return String(content);
    },
    failure: async (input: Input, more?: { signal: AbortSignal }): Promise<string> => {
      const { content, isError } = await run(input, more);
      expect({ content, isError }).toMatchObject({ isError: true });
      return String(content);
    },
  };
}

test('returns stdout and stderr together and leaves no file behind', async () => {
  const { root, run, results } = await project();
  const outcome = await run('echo one; echo two >&2');
  expect(outcome).toMatchObject({
    content: 'one\ntwo',
    data: { output: 'one\ntwo', exitCode: 0, notes: [], durationMs: expect.any(Number), cwd: root },
    display: { title: 'echo one; echo two >&2', facts: [], body: { type: 'output', text: 'one\ntwo' } },
  });
  expect(existsSync(join(results, 'call_1.txt'))).toBe(false);
});

test('reports empty output', async () => {
  const { text } = await project();
  expect(await text('true')).toBe('(no output)');
});

test('shows output that does not end with a newline', async () => {
  const { text } = await project();
  expect(await text('printf one')).toBe('one');
});

test('shows binary output as text with replacement characters', async () => {
  const { text } = await project();
  expect(await text("printf 'a\\377\\000b'")).toBe(
    'a\ufffd\ufffdb\nBytes of the output that are not UTF-8 text are shown as \ufffd.',
  );
});

test('fails with the exit code, the output and the directory', async () => {
  const { root, failure, text } = await project();
  await mkdir(join(root, 'sub'));
  expect(await failure('cd sub; echo broken >&2; exit 3')).toBe(
    `Exit code 3\nbroken\nThe working directory is now ${join(root, 'sub')}.`,
  );
  expect(await text('pwd')).toBe(join(root, 'sub'));
});

test.each([
  ['false', 'Exit code 1\n(no output)'],
  ['kill -SEGV $$', 'Exit code 139 (the shell was ended by SIGSEGV)\n(no output)'],
  ['(exit 137)', 'Exit code 137 (perhaps 128 + 9, which is SIGKILL)\n(no output)'],
  ['git diff a b c d --no-index', expect.stringMatching(/^Exit code 129\n/)],
  ['nosuch', 'Exit code 127\nbash: line 1: nosuch: command not found'],
])('reports how %s failed', async (command, message) => {
  const { failure } = await project();
  expect(await failure(command)).toEqual(message);
});

test('truncates the output of a failure in the middle and saves all of it', async () => {
  const { results, failure } = await project();
  const message = await failure('echo first; for n in {1..5000}; do echo "line $n"; done; echo last; exit 2');
  expect(message).toMatch(/^Exit code 2\nfirst\n/);
  expect(message).toMatch(/\nlast$/);
  expect(message).toContain(join(results, 'call_1.txt'));
  expect(message.length).toBeLessThan(10_100);
});

test('exit code 1 of a search is a result, not a failure', async () => {
  const { text, failure } = await project();
  expect(await text('grep nothing /dev/null')).toBe('(no output)\n(exit code 1: no line matches)');
  expect(await failure('grep nothing /nonexistent')).toMatch(/^Exit code 2\n/);
  expect(await failure('true && grep nothing /dev/null')).toMatch(/^Exit code 1\n/);
});

test('shows both ends of long output, within its limit, and saves all of it', async () => {
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

test('handles 50 MB of output', async () => {
  const { text, results } = await project();
  const shown = await text("yes 'a line of text' | head -c 50000000; echo; echo last");
  expect(shown).toMatch(/characters are left out here/);
  expect(shown).toMatch(/\nlast$/);
  expect((await readFile(join(results, 'call_1.txt'))).length).toBe(50_000_006);
});

test('stops a command whose output never stops, and says so', async () => {
  const { failure, results } = await project({ env: { ...process.env, HELVE_MAX_OUTPUT: '4M' } });
  const message = await failure('yes');
  expect(message).toMatch(/^The command wrote more than 4 MB of output and was stopped\./);
  expect(message).toContain(join(results, 'call_1.txt'));
  expect((await readFile(join(results, 'call_1.txt'))).length).toBe(4 * 1024 * 1024);
});

test('carries the directory over, also outside of the project, and says where it is', async () => {
  const { root, text } = await project();
  const outside = await realpath(tmpdir());
  expect(await text(`cd '${outside}'`)).toBe(
    `(no output)\nThe working directory is now ${outside}, outside the project's root ${root}.`,
  );
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

test('does not report a change of directory because of a symlink', async () => {
  const { root, text, engine } = await project();
  await mkdir(join(root, 'real'));
  await symlink(join(root, 'real'), join(root, 'link'));
  engine.session.changeDirectory(join(root, 'link'));
  expect(await text('true')).toBe('(no output)');
  expect(engine.session.cwd).toBe(join(root, 'link'));
});

test('runs in the project root if the working directory was removed, and says so', async () => {
  const { root, text } = await project();
  await text('mkdir sub; cd sub');
  await rm(join(root, 'sub'), { recursive: true });
  expect(await text('pwd')).toBe(
    `${root}\nThe working directory ${join(root, 'sub')} no longer exists, so the command ran in the project's root, ${root}.`,
  );
  expect(await text('pwd')).toBe(root);
});

test('works after a command that removes its working directory', async () => {
  const { root, text } = await project();
  expect(await text('mkdir sub; cd sub; rmdir ../sub')).toBe('(no output)');
  expect(await text('pwd')).toBe(root);
});

test('refuses to run if the project root was removed too', async () => {
  const { root, failure } = await project();
  await rm(root, { recursive: true });
  expect(await failure('true')).toMatch(/^The command was not run: neither/);
});

test('does not carry the environment over', async () => {
  const { text } = await project();
  expect(await text('export LEAKED=1; greet() { :; }; alias hello=echo; echo "$LEAKED"')).toBe('1');
  expect(await text('echo "[$LEAKED]"; type greet hello 2>/dev/null || echo none')).toBe('[]\nnone');
});

test.each(['CLAUDE_ENV_FILE', 'HELVE_ENV_FILE'])('sources the file named by %s before each command', async (name) => {
  const { root, text } = await project({ env: { ...process.env, [name]: 'env.sh' } });
  expect(await text('echo "[$GREETING]"')).toBe('[]');
  await writeFile(join(root, 'env.sh'), 'export GREETING=hello\n');
  expect(await text('echo "[$GREETING]"')).toBe('[hello]');
});

test('returns at once from a command that leaves a process behind, which ends with the session', async () => {
  const { root, results, text, engine } = await project();
  expect(await text('sleep 1000 & echo $! > pid; echo done')).toBe(
    `done\nA process that the command started is still running and ends with the session; what it writes goes to ${join(results, 'call_1.txt')}.`,
  );
  const pid = Number(await readFile(join(root, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  expect(engine.session.stillRunning).toEqual(['what is left of sleep 1000 & echo $! > pid; echo done']);
  await engine.end();
  await until(() => !isRunning(pid));
});

test('gives commands no standard input to wait for', async () => {
  const { text } = await project();
  expect(await text('cat')).toBe('(no output)');
});

test('stops a command at its timeout and shows the last 40 lines', async () => {
  const { results, failure } = await project();
  const message = await failure({
    command: 'for n in {1..100}; do echo "line $n"; done; sleep 1000',
    timeout: 1_000,
  });
  const [first, ...output] = message.split('\n');
  expect(first).toBe(
    `for n in {1..100}; do echo "line $n"; done; sleep 1000 did not finish in 1 s and was stopped. The last 40 lines of output follow, all of it is in ${join(results, 'call_1.txt')}. Run a smaller part, raise timeout, or use run_in_background.`,
  );
  expect(output).toEqual(Array.from({ length: 40 }, (_, index) => `line ${index + 61}`));
});

test.each([
  ['CLAUDE_BASH_TIMEOUT_MS', { CLAUDE_BASH_TIMEOUT_MS: '300', BASH_DEFAULT_TIMEOUT_MS: '60000' }],
  ['BASH_DEFAULT_TIMEOUT_MS', { CLAUDE_BASH_TIMEOUT_MS: 'soon', BASH_DEFAULT_TIMEOUT_MS: '300' }],
])('reads the default timeout from %s', async (_, settings) => {
  const { failure } = await project({ env: { ...process.env, ...settings } });
  const message = await failure('sleep 1000');
  expect(message).toMatch(/^sleep 1000 did not finish in 0\.3 s and was stopped\. Its output follows\./);
});

test('caps a timeout at the configured limit and at the maximum of a timer, and says so', async () => {
  const { text } = await project({ env: { ...process.env, BASH_DEFAULT_TIMEOUT_MS: '99999999999999' } });
  expect(await text({ command: 'echo done', timeout: 1e12 })).toBe(
    'done\ntimeout was cut to 2147483.6 s, the most that there is.',
  );
  const usual = await project();
  expect(await usual.text({ command: 'echo done', timeout: 900_000 })).toBe(
    'done\ntimeout was cut to 600 s, the most that there is.',
  );
  expect(bashTool.inputSchema['properties']).toMatchObject({ timeout: { type: 'number', maximum: 600_000 } });
  expect(await text('echo done')).toBe('done');
});

test('ends all processes when it is interrupted, and reports the output so far', async () => {
  const { root, run } = await project();
  const cancel = new AbortController();
  const running = run('echo before; sleep 1000 & echo $! > pid; wait', { signal: cancel.signal });
  await until(() => isWritten(join(root, 'pid')));
  cancel.abort(new Error('enough'));
  const { content, failure } = await running;
  expect(content).toMatch(/^The command was interrupted after .* everything it had started was ended\..*\nbefore$/);
  expect(failure).toBe('interrupted');
  expect(pidsIn(join(root, 'pid')).filter(isRunning)).toEqual([]);
});

test('reports the last lines as progress, and ends the command when its consumer stops', async () => {
  const { root, engine } = await project();
  const accepted = bashTool.accept({ command: 'echo $$ > pid; seq 10; sleep 1000' });
  if (!accepted.ok) throw new Error('the input is right');
  const running = accepted.call.run(engine.contextFor('call', new AbortController().signal));
  let shown: unknown;
  while (!isDeepStrictEqual(shown, { done: false, value: { text: '6\n7\n8\n9\n10' } })) shown = await running.next();
  const pid = Number(await readFile(join(root, 'pid'), 'utf8'));
  expect(isRunning(pid)).toBe(true);
  await running.return({ content: '', data: undefined, display: { title: '' } });
  expect(isRunning(pid)).toBe(false);
});

test('passes several lines with quotes, patterns and a heredoc to the shell unchanged', async () => {
  const { text } = await project();
  expect(await text(`cat <<'EOF'\n$& "it's" !! \\n \${x}\nEOF\necho 'wow!'`)).toBe(`$& "it's" !! \\n \${x}\nwow!`);
});

test('declares each command, the files that it names, and changes of directory', async () => {
  const { effects, root } = await project();
  expect(await effects(bashTool, { command: 'ls' })).toEqual([
    expect.objectContaining({ kind: 'command', text: 'ls', harmless: true }),
    expect.objectContaining({ kind: 'file', access: 'read', path: root }),
    { kind: 'session', access: 'read', what: 'cwd' },
  ]);
  expect(await effects(bashTool, { command: 'cd sub && npm test > log' })).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ kind: 'command', text: 'npm test', harmless: false }),
      expect.objectContaining({ kind: 'file', access: 'write', path: join(root, 'sub', 'log') }),
      { kind: 'session', access: 'write', what: 'cwd' },
    ]),
  );
});

test('declares dangerouslyDisableSandbox as an effect that no rule for the command covers', async () => {
  const { effects } = await project();
  expect(await effects(bashTool, { command: 'ls', dangerouslyDisableSandbox: true })).toContainEqual({
    kind: 'unknown',
    why: 'it is to run outside the sandbox',
  });
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

test('displays the first line of its command, even while the input streams', () => {
  expect(bashTool.displayCall({})).toEqual({ title: '' });
  expect(bashTool.displayCall({ command: 'cat <<EOF\nx' })).toEqual({ title: 'cat <<EOF …' });
  const accepted = bashTool.accept({ command: 'cat <<EOF\nx\nEOF' });
  expect(accepted.ok && accepted.call.displayRefusal()).toEqual({
    title: 'cat <<EOF …',
    body: { type: 'text', text: 'cat <<EOF\nx\nEOF' },
  });
});

test('keeps colours for the interface and removes them for the model', async () => {
  const { run } = await project();
  expect(await run("printf '\\033[31mred\\033[0m'")).toMatchObject({
    content: 'red',
    data: { output: 'red', styledOutput: '\x1b[31mred\x1b[0m' },
  });
  expect(await run("printf '\\033[31mred\\033[0m'; exit 3")).toMatchObject({
    content: 'Exit code 3\nred',
    data: { output: 'red', styledOutput: '\x1b[31mred\x1b[0m' },
  });
});

test.each([
  ['60000', 40_000, 40_000],
  ['1000', 40_000, 1_000],
  ['9999999', 200_000, 150_000],
  ['none', 40_000, 30_000],
])('limits output to BASH_MAX_OUTPUT_LENGTH=%s', async (length, written, shown) => {
  const { text, results } = await project({ env: { ...process.env, BASH_MAX_OUTPUT_LENGTH: length } });
  const output = await text(`head -c ${written} /dev/zero | tr '\\0' x`);
  expect(output.length).toBeLessThanOrEqual(shown);
  expect(output.length).toBeGreaterThan(shown - 20); // the count of omitted characters may have fewer digits than reserved
  expect(existsSync(join(results, 'call_1.txt'))).toBe(written > shown);
});

const canLimitMemory = limitFolders({ HELVE_MEMORY_LIMIT: '200M' }).length > 0;

test('reports that the memory limit killed a command', async ({ skip }) => {
  if (!canLimitMemory) skip('no cgroup with a memory controller may be written here');
  const { failure, text } = await project({ env: { ...process.env, HELVE_MEMORY_LIMIT: '200M' } });
  const greedy = `node -e 'const all = []; for (;;) all.push(Buffer.alloc(16 << 20, 1))'`;
  expect(await failure(`exec ${greedy}`)).toMatch(
    /^Exit code 137\. Killed by the memory limit of 200 MB, which holds for/,
  );
  expect(await failure(greedy)).toMatch(/^Exit code 137\. Killed by the memory limit of 200 MB/);
  expect(await text(`${greedy} || echo went on`)).toMatch(
    /went on\nOne process was killed by the memory limit of 200 MB\.$/,
  );
});

test('runs nothing if a limit is invalid', async () => {
  const { failure, path } = await project({ env: { ...process.env, HELVE_MEMORY_LIMIT: 'lots' } });
  expect(await failure('touch ran')).toMatch(
    /^The command was not run: HELVE_MEMORY_LIMIT is "lots", which is not a size/,
  );
  expect(existsSync(path('ran'))).toBe(false);
});

test('its description names only tools that are enabled', () => {
  const context = { root: '/', deferredTools: [], editStyle: 'text' } as const;
  expect(bashTool.describe({ ...context, mode: 'repl' })).toMatch(/Grep.*BashOutput.*KillShell/s);
  expect(bashTool.describe({ ...context, mode: 'simple' })).not.toMatch(/Glob|Grep|Write|BashOutput|KillShell/);
});
