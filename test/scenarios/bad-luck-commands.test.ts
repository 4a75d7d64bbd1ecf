import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ToolOutcome } from '../../src/contract/tool.js';
import { startCommand } from '../../src/platform/shell/run-process.js';
import { createShellPool } from '../../src/platform/shell/shell-pool.js';
import { type TestProject, type ToolRun, temporaryProject } from '../../src/testing/temporary-project.js';
import { isRunning, isWritten, pidsIn, until } from '../../src/testing/watch-processes.js';
import { bashTool } from '../../src/tools/bash/bash.js';

const SOAK = Boolean(process.env['HELVE_SOAK']);

interface Story extends TestProject {
  bash(command: string): Promise<ToolRun>;
}

async function begin(): Promise<Story> {
  const project = await temporaryProject();
  onTestFinished(() => project.remove());
  return { ...project, bash: (command) => project.run(bashTool, { command }) };
}

test('a child that holds the pipe does not block the call', async () => {
  const { bash, path } = await begin();
  const { content } = await bash('sleep 1000 & echo $! > pid; echo done');
  expect(content).toMatch(/^done\nA process that the command started is still running and ends with the session;/);
  expect(pidsIn(path('pid')).filter(isRunning)).toHaveLength(1);
});

test.skipIf(process.platform !== 'linux')("a daemon in its own process session ends with Helve's session", async () => {
  const { bash, path, engine } = await begin();
  await bash(`setsid bash -c 'echo $$ > pid; exec sleep 1000' > /dev/null 2>&1 < /dev/null & echo started`);
  await until(() => isWritten(path('pid')));
  expect(pidsIn(path('pid')).filter(isRunning)).toHaveLength(1);
  await engine.end();
  expect(pidsIn(path('pid')).filter(isRunning)).toEqual([]);
});

test.each([
  ['cat', '(no output)'],
  ['read -r answer; echo "[$answer] $?"', '[] 1'],
  ['python3 -c "input()" 2>&1 | tail -n 1', 'EOFError: EOF when reading a line'],
])('%s does not wait for input', async (command, content) => {
  const { bash } = await begin();
  expect(await bash(command)).toMatchObject({ content });
});

test('an editor that git wants to open does not block and changes nothing', async () => {
  const { bash } = await begin();
  const git = 'git -c user.name=a -c user.email=a@b.c';
  const commit = `${git} commit -q --allow-empty -m`;
  await bash(`git init -q . && ${commit} one && ${commit} two && ${commit} three`);
  expect(await bash(`${git} rebase -q -i HEAD~2 && git log --format=%s`)).toMatchObject({
    content: 'three\ntwo\none',
    isError: false,
  });
  expect(await bash(`${git} commit --allow-empty --amend -q; git log -1 --format=%s`)).toMatchObject({
    content: 'three',
  });
});

test.each(['another process', 'a command'])(
  'if %s deletes the working directory, the next command runs in the project root',
  async (by) => {
    const { bash, root, path } = await begin();
    await bash('mkdir -p sub && cd sub');
    if (by === 'a command') await bash('rmdir ../sub');
    else await rm(path('sub'), { recursive: true });
    const { content, isError } = await bash('pwd');
    expect({ isError, first: String(content).split('\n')[0] }).toEqual({ isError: false, first: root });
    expect(content).toContain(`The working directory ${path('sub')} no longer exists`);
    expect(await bash('pwd')).toMatchObject({ content: root });
  },
);

test('exec replaces only the shell of its own command', async () => {
  const { bash, root } = await begin();
  expect(await bash('mkdir sub; cd sub; exec echo replaced')).toMatchObject({ content: 'replaced', isError: false });
  expect(await bash('exec > elsewhere; echo hidden')).toMatchObject({ content: '(no output)' });
  expect(await bash('pwd; cat elsewhere')).toMatchObject({ content: `${root}\nhidden` });
});

test('a shell that kills itself is reported as such, and the next one works', async () => {
  const { bash } = await begin();
  expect(await bash('echo before; kill -9 $$; echo after')).toMatchObject({
    content: 'Exit code 137 (the shell was ended by SIGKILL)\nbefore',
    isError: true,
  });
  expect(await bash('echo alive')).toMatchObject({ content: 'alive' });
});

test('a command that closes its output does not block', async () => {
  const { bash } = await begin();
  expect(await bash('exec >&- 2>&-; true')).toMatchObject({ content: '(no output)', isError: false });
});

test('ten commands at once get their own output each', async () => {
  const { engine, path } = await begin();
  const runs = Array.from({ length: 10 }, async (_, number): Promise<ToolOutcome> => {
    const command = `touch here-${number}; until [ "$(ls here-* | wc -l)" = 10 ]; do sleep 0.01; done; echo "I am ${number}"`;
    const accepted = bashTool.accept({ command });
    if (!accepted.ok) throw new Error('the input is right');
    const running = accepted.call.run(engine.contextFor(`call_${number}`, new AbortController().signal));
    for (;;) {
      const step = await running.next();
      if (step.done) return step.value;
    }
  });
  const contents = (await Promise.all(runs)).map(({ content }) => content);
  expect(contents).toEqual(Array.from({ length: 10 }, (_, number) => `I am ${number}`));
  expect(existsSync(path('here-9'))).toBe(true);
});

const amount = SOAK ? 5_000_000_000 : 200_000_000;

test.each([
  ['lines', `yes 'a line of text'`],
  ['no line break at all', 'cat /dev/zero'],
  ['bytes that are not text', 'cat /dev/urandom'],
])(`takes ${amount / 1e9} GB of %s without holding it in memory`, async (_, source) => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-much-')));
  const shells = createShellPool(process.env);
  onTestFinished(() => shells.end());
  const before = process.memoryUsage.rss();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 10);
  onTestFinished(() => clearInterval(watch));
  const running = await startCommand({
    command: `${source} | head -c ${amount}`,
    cwd: folder,
    outputFile: '/dev/null', // the disk need not hold it for us to see what memory does
    shells,
    timeoutMs: 500_000,
    signal: new AbortController().signal,
    maxOutputBytes: 2 * amount,
    onLeftRunning: () => undefined,
  });
  const result = await running.finished;
  expect(result).toMatchObject({ exitCode: 0, outputBytes: amount, stoppedBy: null });
  expect(most - before).toBeLessThan(60_000_000);
});
