// Two sessions work in one project: edits and commands in an order that a seed decides, each command running while others
// begin and end. The undo of either takes back its own journaled and declared changes, and nothing of the other's.
import { type ChildProcessByStdio, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { applyUndo } from '../../src/agent/undo/apply-undo.js';
import { planUndo } from '../../src/agent/undo/undo.js';
import { createEngine } from '../../src/sdk/engine.js';
import { until } from '../../src/testing/watch-processes.js';
import { type HelveRun, runHelve } from '../cli/run-helve.js';
import { seeded, seedOfRun } from '../seeded.js';

const SEEDS = process.env['HELVE_SOAK'] ? 50 : 3; // of each kind
const STEPS = 14;
const FIRST_SEED = seedOfRun();
const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

/** One session. */
interface Session {
  id: string;
  /** Gives the result, as JSON. */
  call(tool: string, input: object): Promise<string>;
  end(): Promise<void>;
}

interface Place {
  folder: string;
  root: string;
  dataFolder: string;
}

let calls = 0;

async function inThisProcess({ root, dataFolder }: Place): Promise<Session> {
  const engine = createEngine({ root, dataFolder, permissionMode: 'bypassPermissions' });
  return {
    id: engine.id,
    async call(name, input) {
      calls += 1;
      return JSON.stringify(await engine.runCalls([{ id: `call_${calls}`, name, input }]));
    },
    end: () => engine.end(),
  };
}

const program = `
import { createInterface } from 'node:readline';
const { createEngine } = await import(process.argv[2]);
const [root, dataFolder] = process.argv.slice(3);
const engine = createEngine({ root, dataFolder, permissionMode: 'bypassPermissions' });
console.log(engine.id);
for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await engine.runCalls([JSON.parse(line)])));
}
await engine.end();`;

let copied: Promise<string> | undefined;

/** A copy of what is built: parts of it load late, and another test run in this checkout builds `dist` again. */
function ownLibrary(): Promise<string> {
  copied ??= (async () => {
    const folder = await mkdtemp(join(tmpdir(), 'helve-library-'));
    await cp(resolve('dist'), folder, { recursive: true });
    return pathToFileURL(join(folder, 'index.mjs')).href;
  })();
  return copied;
}

async function inAnotherProcess({ folder, root, dataFolder }: Place): Promise<Session> {
  const file = join(folder, 'program.mjs');
  await writeFile(file, program);
  const library = await ownLibrary();
  const child: ChildProcessByStdio<Writable, Readable, null> = spawn(
    process.execPath,
    [file, library, root, dataFolder],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const id = String((await lines.next()).value);
  return {
    id,
    async call(name, input) {
      calls += 1;
      child.stdin.write(`${JSON.stringify({ id: `call_${calls}`, name, input })}\n`);
      return String((await lines.next()).value);
    },
    async end() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** What a command does that names its files, by the folder of its session. */
const declared = (own: string, step: number): string[] => [
  `echo ${step} >> ${own}/log`,
  `sed -i s/$/${step}/ ${own}/edited ${own}/log`,
  `echo ${step} > ${own}/new-${step}`,
  `rm -rf ${own}/folder`,
  `mkdir -p ${own}/folder/deep/${step}; echo ${step} > ${own}/folder/deep/${step}/file`,
  `rm -f ${own}/ignored/*.csv`,
  `touch ${own}/ignored/${step}.csv; chmod 600 ${own}/edited`,
];

async function treeOf(root: string): Promise<Record<string, string>> {
  const tree: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    tree[relative(root, path)] = entry.isDirectory() ? 'a folder' : await readFile(path, 'utf8');
  }
  return tree;
}

const partOf = (tree: Readonly<Record<string, string>>, isMeant: (path: string) => boolean): Record<string, string> =>
  Object.fromEntries(Object.entries(tree).filter(([path]) => isMeant(path)));

test.each(
  Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index).flatMap((seed) => [
    { seed, where: 'one process', open: inThisProcess },
    { seed, where: 'two processes', open: inAnotherProcess },
  ]),
)(
  'the undo of either of two sessions reverts only the changes of that session: $where, HELVE_SEED=$seed',
  async ({ seed, open }) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-undo-two-')));
    const place = { folder, root: join(folder, 'project'), dataFolder: join(folder, 'data') };
    const { root, dataFolder } = place;
    for (const name of NAMES) {
      await mkdir(join(root, name, 'folder/deep'), { recursive: true });
      await mkdir(join(root, name, 'ignored'));
      for (const file of ['log', 'edited', 'folder/one', 'folder/deep/two', 'ignored/one.csv'])
        await writeFile(join(root, name, file), `${name}\n`);
      execFileSync('mkfifo', [join(folder, `${name}.pipe`)]);
    }
    await writeFile(join(root, '.gitignore'), 'ignored\n');
    for (let step = 0; step < STEPS; step += 1)
      await writeFile(join(root, `write-${step}.sh`), `echo ${step} > free-${step}\n`);
    const start = await treeOf(root);

    const next = seeded(seed);
    const random = (below: number): number => Math.floor(next() * below);
    const sessions = { a: await open(place), b: await open(place) };
    const running = new Map<Name, { ended: Promise<string>; free: string | undefined }>();
    const free: Record<Name, string[]> = { a: [], b: [] };
    const shared = new Set<string>(); // what no effects name, by commands that ran beside one of the other session
    const end = async (name: Name): Promise<void> => {
      const command = running.get(name);
      await writeFile(join(folder, `${name}.pipe`), '');
      await command?.ended;
      running.delete(name);
    };
    for (let step = 0; step < STEPS; step += 1) {
      const name = NAMES[random(2)] ?? 'a';
      const kind = random(4);
      if (running.has(name)) {
        await end(name);
      } else if (kind === 0) {
        await sessions[name].call('Read', { file_path: join(root, name, 'edited') });
        await sessions[name].call('Write', { file_path: join(root, name, 'edited'), content: `written ${step}\n` });
      } else if (kind === 1) {
        await sessions[name].call('Write', { file_path: join(root, name, `made/by/${step}`), content: 'made\n' });
      } else {
        const known = declared(name, step);
        const isFree = random(3) === 0;
        const work = isFree ? `sh write-${step}.sh` : known[random(known.length)];
        const mark = join(folder, `begun-${step}`);
        const command = `${work}; touch ${mark}; cat ${join(folder, `${name}.pipe`)}`;
        const ended = sessions[name].call('Bash', { command });
        const tooEarly = ended.then((result) => {
          if (!existsSync(mark)) throw new Error(`${command} did not begin: ${result}`);
        });
        await Promise.race([until(() => existsSync(mark)), tooEarly]);
        running.set(name, { ended, free: isFree ? `free-${step}` : undefined });
        if (isFree) free[name].push(`free-${step}`);
        if (running.size === 2) for (const one of running.values()) if (one.free !== undefined) shared.add(one.free);
      }
    }
    for (const name of [...running.keys()]) await end(name);

    for (const name of random(2) === 0 ? NAMES : NAMES.toReversed()) {
      const before = await treeOf(root);
      const plan = await planUndo(dataFolder, sessions[name].id, { calls: 100 }).catch(() => undefined);
      if (!plan) continue; // it has changed nothing
      const own = free[name].filter((path) => !shared.has(path));
      const isOwn = (path: string): boolean => path === name || path.startsWith(`${name}/`) || own.includes(path);
      expect(plan.items.map(({ real }) => relative(root, real)).filter((path) => !isOwn(path))).toEqual([]);
      await applyUndo(plan);
      const after = await treeOf(root);
      expect(partOf(after, isOwn)).toEqual(partOf(start, isOwn));
      expect(partOf(after, (path) => !isOwn(path))).toEqual(partOf(before, (path) => !isOwn(path)));
      const unclaimed = plan.unclaimed.map((real) => relative(root, real));
      expect(free[name].filter((path) => shared.has(path) && !unclaimed.includes(path))).toEqual([]);
      expect(unclaimed.filter((path) => !shared.has(path))).toEqual([]);
    }
    await Promise.all(NAMES.map((name) => sessions[name].end()));
    expect(await readdir(join(dataFolder, 'journal/commands')).catch(() => [])).toEqual([]);
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  },
);

test('helve undo keeps changes that another Helve process made while a command ran, and names doubtful ones', async () => {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-undo-two-')));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [project, home] = [join(folder, 'project'), join(folder, 'home')];
  await mkdir(project);
  for (const name of ['log.txt', 'b.txt']) await writeFile(join(project, name), 'old\n');
  await writeFile(join(project, 'free.sh'), 'echo free > free.txt\n');
  for (const name of NAMES) execFileSync('mkfifo', [join(folder, name)]);
  const options = { cwd: project, env: { HELVE_HOME: home } };
  const call = (tool: string, input: object): Promise<HelveRun> =>
    runHelve(['call', '--permission-mode', 'bypassPermissions', tool, JSON.stringify(input)], options);
  const first = call('Bash', { command: `echo x >> log.txt; sh free.sh; cat ${join(folder, 'a')}` });
  await until(() => existsSync(join(project, 'free.txt')));
  const second = call('Bash', { command: `sed -i s/old/new/ b.txt; cat ${join(folder, 'b')}` });
  await until(() => readFileSync(join(project, 'b.txt'), 'utf8') === 'new\n');
  await call('Write', { file_path: 'made.txt', content: 'made\n' });
  for (const name of NAMES) await writeFile(join(folder, name), '');
  await Promise.all([first, second]);
  const lists = join(home, 'journal/sessions');
  const ids = (await readdir(lists)).map((name) => name.replace('.jsonl', ''));
  const ours = ids.find((id) => readFileSync(join(lists, `${id}.jsonl`), 'utf8').includes('log.txt'));
  const { code, stdout } = await runHelve(['undo', '--session', String(ours).slice(0, 20), '--yes'], options);
  expect(code).toBe(0);
  expect(stdout).toContain(
    'Stays as it is: free.txt. It changed while a command, hook or tool of another session ran too',
  );
  const texts = ['log.txt', 'b.txt', 'made.txt', 'free.txt'].map((name) => readFile(join(project, name), 'utf8'));
  expect(await Promise.all(texts)).toEqual(['old\n', 'new\n', 'made\n', 'free\n']);
});
