// Two sessions in one project and one process: an undo undoes the changes of its own session only.
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, readFileSync, statSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { runCall } from '../../calls/run-call.js';
import { createEngine, type FullEngine } from '../../compose/create-engine.js';
import type { Tool } from '../../contract/tool.js';
import { journalFolders } from '../../platform/journal/journal.js';
import { recoverChanges } from '../../platform/journal/recover-changes.js';
import { runningCalls } from '../../platform/journal/running-commands.js';
import { until } from '../../testing/watch-processes.js';
import { bashTool } from '../../tools/bash/bash.js';
import { readTool } from '../../tools/read.js';
import { writeTool } from '../../tools/write.js';
import { applyUndo, type UndoOutcome } from './apply-undo.js';
import { planUndo, type UndoPlan } from './undo.js';

class Worker {
  readonly engine: FullEngine;
  readonly root: string;
  #calls = 0;

  constructor(root: string, dataFolder: string) {
    this.root = root;
    this.engine = createEngine({ permissionMode: 'bypassPermissions', root, dataFolder });
  }

  async run(tool: Tool, input: Record<string, unknown>): Promise<void> {
    this.#calls += 1;
    const environment = { ...this.engine.environment(() => {}), findTool: () => tool };
    await runCall({ id: `call_${this.#calls}`, name: tool.name, input }, environment, new AbortController().signal);
  }

  bash = (command: string): Promise<void> => this.run(bashTool, { command });

  async write(name: string, content: string): Promise<void> {
    const file_path = join(this.root, name);
    if (existsSync(file_path)) await this.run(readTool, { file_path });
    await this.run(writeTool, { file_path, content });
  }

  plan(): Promise<UndoPlan> {
    const { id, dataFolder } = this.engine.session;
    return planUndo(dataFolder, id, { calls: 100 });
  }

  undo = async (): Promise<UndoOutcome> => await applyUndo(await this.plan());
}

interface TwoSessions {
  a: Worker;
  b: Worker;
  dataFolder: string;
  path(name: string): string;
  text(name: string): Promise<string>;
  /** A command that ends when `release` is called with its name. */
  waiting(name: string): string;
  release(name: string): Promise<void>;
}

async function twoSessions(files: Readonly<Record<string, string>>): Promise<TwoSessions> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-two-sessions-')));
  const [root, dataFolder] = [join(folder, 'project'), join(folder, 'data')];
  const path = (name: string): string => join(root, name);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), content);
  }
  for (const name of ['a', 'b']) execFileSync('mkfifo', [join(folder, name)]);
  const [a, b] = [new Worker(root, dataFolder), new Worker(root, dataFolder)];
  onTestFinished(async () => {
    await Promise.all([a.engine.end(), b.engine.end()]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  });
  return {
    a,
    b,
    dataFolder,
    path,
    text: (name) => readFile(path(name), 'utf8'),
    waiting: (name) => `cat ${join(folder, name)}`,
    release: (name) => writeFile(join(folder, name), ''),
  };
}

const holds = (path: string, text: string): boolean => existsSync(path) && readFileSync(path, 'utf8').includes(text);

// The first command writes only the file that it names; the effects of the second are unknown.
test.each([
  ['echo x >> log.txt', 'known by its effects'],
  ['eval "$(echo echo x) >> log.txt"', 'may write anything'],
])('keeps files that another session edits and creates while a command runs: %s', async (command) => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'log.txt': 'log\n', 'b.txt': 'one\n' });
  const running = a.bash(`${command}; ${waiting('a')}`);
  await until(() => holds(path('log.txt'), 'x'));
  await b.write('b.txt', 'two\n');
  await b.write('made/by/b.txt', 'new\n');
  await release('a');
  await running;
  const plan = await a.plan();
  expect(plan.items.map(({ real }) => real)).toEqual([path('log.txt')]);
  expect(plan.unclaimed).toEqual([]);
  await applyUndo(plan);
  expect(await text('log.txt')).toBe('log\n');
  expect(await text('b.txt')).toBe('two\n');
  expect(await text('made/by/b.txt')).toBe('new\n');
  await b.undo();
  expect(await text('b.txt')).toBe('one\n');
  expect(existsSync(path('made'))).toBe(false);
});

test('keeps the result of an undo of another session while a command runs', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'log.txt': 'log\n', 'b.txt': 'one\n' });
  await b.write('b.txt', 'two\n');
  await b.bash('mkdir folder; ln -s b.txt link; chmod 600 b.txt');
  const running = a.bash(`eval "$(echo echo x) >> log.txt"; ${waiting('a')}`);
  await until(() => holds(path('log.txt'), 'x'));
  await b.undo();
  await release('a');
  await running;
  expect((await a.plan()).items.map(({ real }) => real)).toEqual([path('log.txt')]);
  await a.undo();
  expect(await text('b.txt')).toBe('one\n');
  expect(await readdir(dirname(path('b.txt')))).toEqual(['b.txt', 'log.txt']);
});

test('of two commands at once, each session gets the files that the effects of its command name', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'a.txt': 'a\n', 'b.txt': 'b\n' });
  const first = a.bash(`sed -i s/a/A/ a.txt; ${waiting('a')}`);
  await until(() => holds(path('a.txt'), 'A'));
  const second = b.bash(`echo more >> b.txt; echo new > new.txt; ${waiting('b')}`);
  await until(() => existsSync(path('new.txt')));
  await release('a');
  await first;
  await release('b');
  await second;
  await a.undo();
  expect([await text('a.txt'), await text('b.txt'), await text('new.txt')]).toEqual(['a\n', 'b\nmore\n', 'new\n']);
  await b.undo();
  expect([await text('a.txt'), await text('b.txt'), existsSync(path('new.txt'))]).toEqual(['a\n', 'b\n', false]);
});

test('keeps and lists changes that neither effects nor the journal name when two sessions ran commands at once', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({
    ...{ 'a.txt': 'a\n', 'b.txt': 'b\n', 'c.txt': 'c\n' },
    ...{ 'a.sh': 'echo A >> a.txt', 'b.sh': 'echo B >> b.txt' },
  });
  const first = a.bash(`sh a.sh; echo own > own.txt; ${waiting('a')}`);
  await until(() => existsSync(path('own.txt')));
  const second = b.bash(`sh b.sh; sed -i s/c/C/ c.txt; ${waiting('b')}`);
  await until(() => holds(path('c.txt'), 'C'));
  await release('a');
  await first;
  await release('b');
  await second;
  const [ours, theirs] = [await a.plan(), await b.plan()];
  expect(ours.items.map(({ real }) => real)).toEqual([path('own.txt')]);
  expect(ours.unclaimed).toEqual([path('a.txt'), path('b.txt')]);
  expect(theirs.items.map(({ real }) => real)).toEqual([path('c.txt')]);
  expect(theirs.unclaimed).toContain(path('b.txt'));
  await applyUndo(ours);
  await applyUndo(theirs);
  expect([await text('a.txt'), await text('b.txt'), await text('c.txt')]).toEqual(['a\nA\n', 'b\nB\n', 'c\n']);
});

test('a file that the commands of two sessions name belongs to neither', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'log.txt': 'log\n' });
  const first = a.bash(`echo a >> log.txt; ${waiting('a')}`);
  await until(() => holds(path('log.txt'), 'a'));
  const second = b.bash(`echo b >> log.txt; ${waiting('b')}`);
  await until(() => holds(path('log.txt'), 'b'));
  await release('a');
  await first;
  await release('b');
  await second;
  for (const worker of [a, b]) {
    expect((await worker.plan()).unclaimed).toEqual([path('log.txt')]);
    await worker.undo();
    expect(await text('log.txt')).toBe('log\na\nb\n');
  }
});

test('undoes all changes of a command if no other session ran one', async () => {
  const { a, b, text, waiting, release, path } = await twoSessions({ 'a.txt': 'a\n' });
  const first = b.bash(`echo b > b.txt; ${waiting('b')}`);
  await until(() => existsSync(path('b.txt')));
  await release('b');
  await first;
  await a.bash('eval "$(echo echo A) >> a.txt"');
  expect((await a.plan()).unclaimed).toEqual([]);
  await a.undo();
  expect(await text('a.txt')).toBe('a\n');
});

const SCRIPT = { 'move.sh': 'mv d e' };

test.each([
  ['mv d e', {}],
  ['sh move.sh', SCRIPT],
  ['mkdir e; mv d/* e/; rmdir d', {}],
  ['git init -q .; git add .; git mv d e; mv d/b e/ 2>/dev/null; true', {}],
])('moves back a file that another session wrote while the command that moved it ran: %s', async (command, more) => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n', ...more });
  const running = a.bash(`echo go > started; ${waiting('a')}; ${command}`);
  await until(() => existsSync(path('started')));
  await b.write('d/b', 'of b\n');
  await release('a');
  await running;
  expect([existsSync(path('d/b')), await text('e/b')]).toEqual([false, 'of b\n']);
  const plan = await a.plan();
  expect(plan.items.map(({ real }) => real)).toContain(path('d/b'));
  await applyUndo(plan);
  expect([await text('d/a'), await text('d/b'), existsSync(path('e'))]).toEqual(['a\n', 'of b\n', false]);
  await b.undo();
  expect(await readdir(path('d'))).toEqual(['a']);
});

test('moves back folders that another session created while a command ran', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
  const running = a.bash(`echo go > started; ${waiting('a')}; mv d e`);
  await until(() => existsSync(path('started')));
  await b.write('d/deep/er/b', 'of b\n');
  await release('a');
  await running;
  await a.undo();
  expect([await text('d/deep/er/b'), existsSync(path('e'))]).toEqual(['of b\n', false]);
  expect(statSync(path('d/deep')).mode & 0o7777).toBe(0o755);
  await b.undo();
  expect(await readdir(path('d'))).toEqual(['a']);
});

test.each([
  ['rm d/b', 'of b\n'],
  ['rm -rf d', 'of b\n'],
  ['echo of a > d/b', 'of b\n'],
  ['sed -i s/of/OF/ d/*', 'of b\n'],
])(
  'restores a file that another session wrote while the command that removed or changed it ran: %s',
  async (command) => {
    const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
    const running = a.bash(`echo go > started; ${waiting('a')}; ${command}`);
    await until(() => existsSync(path('started')));
    await b.write('d/b', 'of b\n');
    await b.write('d/a', 'of b too\n');
    await release('a');
    await running;
    await a.undo();
    expect([await text('d/a'), await text('d/b')]).toEqual(['of b too\n', 'of b\n']);
    await b.undo();
    expect([await readdir(path('d')), await text('d/a')]).toEqual([['a'], 'a\n']);
  },
);

test('moves back a file that the same session wrote while its background command moved it', async () => {
  const { a, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
  const command = `echo go > started; ${waiting('a')}; mv d e`;
  await a.run(bashTool, { command, run_in_background: true });
  await until(() => existsSync(path('started')));
  await a.write('d/b', 'mine\n');
  await release('a');
  await until(() => existsSync(path('e/b')));
  await a.bash('echo next > next');
  const { id, dataFolder } = a.engine.session;
  await until(() => runningCalls(journalFolders(dataFolder), id).length === 0);
  await applyUndo(await planUndo(dataFolder, id, { callIds: ['call_1'] }));
  expect([await text('d/a'), await text('d/b'), existsSync(path('e'))]).toEqual(['a\n', 'mine\n', false]);
  await a.undo();
  expect(await readdir(path('d'))).toEqual(['a']);
});

test('keeps and lists a file that a command of another session wrote and a command moved', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
  const running = a.bash(`echo go > started; ${waiting('a')}; mv d e`);
  await until(() => existsSync(path('started')));
  await b.bash('echo of b > d/b');
  await release('a');
  await running;
  const plan = await a.plan();
  expect(plan.items.map(({ real }) => real)).not.toContain(path('e/b'));
  expect(plan.unclaimed).toEqual(expect.arrayContaining([path('d/b'), path('e/b')]));
  expect(await text('e/b')).toBe('of b\n');
});

test.each(['', 'same\n'])(
  'removes a file that a command names, though another session removed one with the same content meanwhile: %j',
  async (content) => {
    const { a, b, path, waiting, release } = await twoSessions({ keep: '' });
    const make = content ? 'echo same >' : 'touch';
    const making = b.bash(`${make} of-b; ${waiting('b')}`);
    await until(() => existsSync(path('of-b')));
    await a.bash(`${make} of-a`);
    const removing = a.bash(`rm of-a; ${waiting('a')}`);
    await until(() => !existsSync(path('of-a')));
    await release('b');
    await making;
    await release('a');
    await removing;
    const plan = await b.plan();
    expect(plan.unclaimed).toEqual([]);
    await applyUndo(plan);
    expect(existsSync(path('of-b'))).toBe(false);
  },
);

test.each([
  ['ln -s a d/b', 'mv d/b d/z', 'd/z'],
  ['mkdir d/b', 'mv d/b d/z', 'd/z'],
  ['touch d/b', 'mv d/b d/z', 'd/z'],
  ['echo of b > d/b', 'mv d/b d/z; echo more >> d/z', 'd/z'],
  ['echo of b > d/b', 'gzip d/b', 'd/b.gz'],
  ['echo of b > d/b', 'tar --remove-files -cf t.tar d/b', 't.tar'],
  ['echo of b > d/b', 'mv d/b d/a', 'd/a'],
])('keeps the only copy of what a command of another session made: %s, then %s', async (making, moving, kept) => {
  const { a, b, path, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
  const running = a.bash(`echo go > started; ${waiting('a')}; ${moving}`);
  await until(() => existsSync(path('started')));
  await b.bash(making);
  await release('a');
  await running;
  const state = (): string => `${lstatSync(path(kept)).ino}`;
  const before = state();
  const plan = await a.plan();
  expect(plan.unclaimed).toContain(path(kept));
  await applyUndo(plan).catch(() => {}); // there may be nothing to undo
  expect(state()).toBe(before);
});

test('removes a new file though another command of the same session removed one with the same content', async () => {
  const { a, path, waiting, release } = await twoSessions({ old: '' });
  await a.run(bashTool, { command: `echo go > started; ${waiting('a')}; touch new`, run_in_background: true });
  await until(() => existsSync(path('started')));
  const removing = a.bash(`rm old; ${waiting('b')}`);
  await until(() => !existsSync(path('old')));
  await release('a');
  await until(() => existsSync(path('new')));
  await release('b');
  await removing;
  const { id, dataFolder } = a.engine.session;
  await until(() => runningCalls(journalFolders(dataFolder), id).length === 0);
  await a.undo();
  expect([existsSync(path('new')), existsSync(path('old'))]).toEqual([false, true]);
});

test('keeps a file that one command moves while a command of another session writes it', async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'old\n' });
  const running = a.bash(`echo of a >> d/a; ${waiting('a')}`);
  await until(() => holds(path('d/a'), 'of a'));
  await b.bash('mv d/a d/z');
  await release('a');
  await running;
  for (const session of [b, a]) {
    await session.undo().catch(() => {}); // there is nothing to undo
    expect(await text('d/z')).toBe('old\nof a\n');
  }
});

test("removes the copy that a command made of another session's file, and keeps the file", async () => {
  const { a, b, path, text, waiting, release } = await twoSessions({ 'd/a': 'a\n' });
  const running = a.bash(`echo go > started; ${waiting('a')}; cp -r d e`);
  await until(() => existsSync(path('started')));
  await b.write('d/b', 'of b\n');
  await release('a');
  await running;
  await a.undo();
  expect([await text('d/b'), existsSync(path('e'))]).toEqual(['of b\n', false]);
});

test('temporary files of Helve do not count as files of the project', async () => {
  const { a, path, waiting, release } = await twoSessions({ 'log.txt': 'log\n' });
  const running = a.bash(`eval "$(echo echo x) >> log.txt"; ${waiting('a')}`);
  await until(() => holds(path('log.txt'), 'x'));
  const names = [`.helve-${'0a'.repeat(12)}-3.tmp`, `.helve-${'0a'.repeat(9)}.tmp`];
  for (const name of names) await writeFile(path(name), 'on its way');
  await release('a');
  await running;
  for (const name of names) await rm(path(name));
  await a.bash('eval "$(echo echo y) >> log.txt"');
  await a.undo();
  expect(await readdir(dirname(path('log.txt')))).toEqual(['log.txt']);
});

test('the journal has no records of running commands once all have ended', async () => {
  const { a, b, dataFolder, path, waiting, release } = await twoSessions({ 'a.txt': 'a\n' });
  const first = a.bash(`echo more >> a.txt; ${waiting('a')}`);
  await until(() => holds(path('a.txt'), 'more'));
  await b.bash('touch b.txt; echo new > c.txt');
  await release('a');
  await first;
  expect(await readdir(join(dataFolder, 'journal/commands'))).toEqual([]);
});

test('removes records of running commands that a killed process left', async () => {
  const { a, dataFolder } = await twoSessions({ 'a.txt': 'a\n' });
  await a.bash('touch b.txt');
  const owner = {
    pid: execFileSync('sh', ['-c', 'echo $$']).toString().trim(),
    started: 1,
    boot: '',
    space: '',
    host: '',
  };
  const line = JSON.stringify({ owner: { ...owner, pid: Number(owner.pid) }, at: 0 });
  await writeFile(join(dataFolder, 'journal/commands/killed.0a.jsonl'), `${line}\n`);
  await recoverChanges(dataFolder);
  expect(await readdir(join(dataFolder, 'journal/commands'))).toEqual([]);
});
