// Two sessions work in one project. What one of them writes otherwise than by an edit or a command, such as by a hook, a
// tool of the program or a process that a command left running, stays when the other takes back its command.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { applyUndo } from '../../src/agent/undo/apply-undo.js';
import { planUndo, type UndoPlan } from '../../src/agent/undo/undo.js';
import type { Engine } from '../../src/contract/engine.js';
import type { EngineOptions } from '../../src/contract/options.js';
import { defineTool } from '../../src/contract/tool.js';
import { createEngine } from '../../src/sdk/engine.js';
import { until } from '../../src/testing/watch-processes.js';
import { runHelve } from '../cli/run-helve.js';

interface Place {
  root: string;
  home: string;
  path(name: string): string;
  session(options?: EngineOptions): Engine;
  /** A command that ends when `release` is called with its name. */
  waiting(name: string): string;
  release(name: string): Promise<void>;
  planOf(engine: Engine): Promise<UndoPlan>;
}

async function place(): Promise<Place> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-other-writers-')));
  const [root, home] = [join(folder, 'project'), join(folder, 'home')];
  for (const made of [root, home]) await mkdir(made);
  for (const name of ['a', 'b', 'c']) execFileSync('mkfifo', [join(folder, name)]);
  const engines: Engine[] = [];
  onTestFinished(async () => {
    await Promise.all(engines.map((engine) => engine.end()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  });
  return {
    root,
    home,
    path: (name) => join(root, name),
    session(options = {}) {
      const engine = createEngine({ root, dataFolder: home, permissionMode: 'bypassPermissions', ...options });
      engines.push(engine);
      return engine;
    },
    waiting: (name) => `cat ${join(folder, name)}`,
    release: (name) => writeFile(join(folder, name), ''),
    planOf: (engine) => planUndo(home, engine.id, { calls: 100 }),
  };
}

let calls = 0;
async function call(engine: Engine, name: string, input: object): Promise<string> {
  calls += 1;
  const [result] = await engine.runCalls([{ id: `call_${calls}`, name, input }]);
  return JSON.stringify(result?.content);
}

/** Nothing is known of what it writes. */
const anything = (name: string): string => `eval "$(echo echo own) > ${name}"`;

/** Runs a command of session A that may write anything, and what happens meanwhile. */
async function whileCommandRuns(at: Place, a: Engine, meanwhile: () => Promise<unknown>): Promise<void> {
  const running = call(a, 'Bash', { command: `${anything('own.txt')}; ${at.waiting('a')}` });
  await until(() => existsSync(at.path('own.txt')));
  await meanwhile();
  await at.release('a');
  await running;
}

async function expectLeft(at: Place, a: Engine, name: string): Promise<void> {
  const plan = await at.planOf(a);
  expect(plan.items.map(({ real }) => real)).not.toContain(at.path(name));
  expect(plan.unclaimed).toContain(at.path(name));
  await applyUndo(plan);
  expect(existsSync(at.path(name))).toBe(true);
}

test('undo keeps files that a hook of another session writes while a command runs', async () => {
  const at = await place();
  const a = at.session();
  const hook = async (): Promise<object> => {
    await writeFile(at.path('index.txt'), 'by the hook\n');
    return {};
  };
  const b = at.session({ hooks: { PostToolUse: [{ matcher: 'Write', hooks: [hook] }] } });
  await whileCommandRuns(at, a, () => call(b, 'Write', { file_path: at.path('b.txt'), content: 'b\n' }));
  await expectLeft(at, a, 'index.txt');
});

test('undo keeps files of a hook that began before the command and ended after it', async () => {
  const at = await place();
  const a = at.session();
  const go = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const hook = async (): Promise<object> => {
    begun.resolve();
    await go.promise;
    return {};
  };
  const b = at.session({ hooks: { PreToolUse: [{ matcher: 'Write', hooks: [hook] }] } });
  const writing = call(b, 'Write', { file_path: at.path('b.txt'), content: 'b\n' });
  await begun.promise;
  await whileCommandRuns(at, a, () => writeFile(at.path('index.txt'), 'by the hook\n'));
  await expectLeft(at, a, 'index.txt');
  go.resolve();
  await writing;
});

test('helve undo keeps files that a hook of another Helve process wrote', async () => {
  const at = await place();
  const hook = { type: 'command', command: 'echo by the hook > index.txt' };
  const settings = { hooks: { PostToolUse: [{ matcher: 'Write', hooks: [hook] }] } };
  await writeFile(join(at.home, 'settings.json'), JSON.stringify(settings));
  const a = at.session();
  const write = ['call', '--permission-mode', 'bypassPermissions', 'Write', '{"file_path":"b.txt","content":"b"}'];
  await whileCommandRuns(at, a, async () => {
    expect(await runHelve(write, { cwd: at.root, env: { HELVE_HOME: at.home } })).toMatchObject({ code: 0 });
    expect(await readFile(at.path('index.txt'), 'utf8')).toBe('by the hook\n');
  });
  await expectLeft(at, a, 'index.txt');
});

const writer = (write: () => Promise<void>) =>
  defineTool({
    name: 'Generate',
    description: 'Writes files by itself.',
    input: z.object({}),
    async execute() {
      await write();
      return {};
    },
    toModel: () => 'done',
  });

test('undo keeps files that a custom tool with unknown effects writes in another session', async () => {
  const at = await place();
  const a = at.session();
  const b = at.session({ tools: [writer(() => writeFile(at.path('generated.txt'), 'generated\n'))] });
  await whileCommandRuns(at, a, () => call(b, 'Generate', {}));
  await expectLeft(at, a, 'generated.txt');
});

test.each([
  ['in the background', 'sh late.sh > /dev/null 2>&1 &'],
  ['detached', 'setsid sh late.sh < /dev/null > /dev/null 2>&1 &'],
])('undo keeps files of a process that a command of another session left running, %s', async (_, command) => {
  const at = await place();
  const [a, b] = [at.session(), at.session()];
  await writeFile(at.path('late.sh'), `${at.waiting('b')}; echo late > late.txt; ${at.waiting('c')}`);
  await call(b, 'Bash', { command });
  await whileCommandRuns(at, a, async () => {
    await at.release('b');
    await until(() => existsSync(at.path('late.txt')));
  });
  await expectLeft(at, a, 'late.txt');
  await at.release('c');
  await until(async () => (await readdir(join(at.home, 'journal/commands'))).length === 0);
});

test('all changes of a command can be undone if hooks, tools and processes of other sessions have ended before', async () => {
  const at = await place();
  const a = at.session();
  const b = at.session({
    hooks: { PreToolUse: [{ hooks: [async () => ({})] }] },
    tools: [writer(async () => {})],
  });
  await call(b, 'Generate', {});
  await call(b, 'Bash', { command: `${anything('b.txt')} &` });
  await until(async () => (await readdir(join(at.home, 'journal/commands'))).length === 0);
  await call(a, 'Bash', { command: anything('own.txt') });
  const plan = await at.planOf(a);
  expect(plan.unclaimed).toEqual([]);
  expect(plan.items.map(({ real }) => real)).toEqual([at.path('own.txt')]);
});

test('helve undo finds sessions of helve call, names their tool, and leaves a command that still runs', async () => {
  const at = await place();
  const options = { cwd: at.root, env: { HELVE_HOME: at.home } };
  const helve = (...args: string[]) => runHelve(args, options);
  const call = (tool: string, input: object) =>
    helve('call', '--permission-mode', 'bypassPermissions', tool, JSON.stringify(input));
  const input = { file_path: 'b.txt', content: 'b\n' };
  await call('Write', input);
  expect((await helve('undo', '--sessions')).stdout).toMatch(/ {2}1 call to undo {2}Write b\.txt\n$/);
  expect((await helve('undo', '--dry-run')).stdout).toMatch(/^To undo, of session .*:\n {2}.* {2}Write b\.txt\n/);

  const running = call('Bash', { command: `${anything('own.txt')}; ${at.waiting('a')}` });
  await until(() => existsSync(at.path('own.txt')));
  const [file = ''] = await readdir(join(at.home, 'journal/commands'));
  const refused = await helve('undo', '--session', file.split('.')[0] ?? '', '--yes');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('is still running, and what it changes is listed at its end.');
  expect(existsSync(at.path('own.txt'))).toBe(true);
  await at.release('a');
  await running;
});
