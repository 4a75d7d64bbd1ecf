import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { seeded, seedOfRun } from '../../../test/seeded.js';
import { randomHex, randomId } from '../../platform/crypto.js';
import { FileStore } from '../store/file-store.js';
import type { RecordStore } from '../store/record-store.js';
import { FleetWorkspaces } from './fleet-workspaces.js';
import { removeTree } from './tree-files.js';

const seed = seedOfRun();
const ROUNDS = process.env['HELVE_SOAK'] === undefined ? 3 : 60;

function madeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'helve-workspace-'));
  onTestFinished(() => removeTree(Buffer.from(folder)));
  return folder;
}

const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.invalid', ...args], {
    cwd,
    encoding: 'utf8',
  }).trim();

/** A repository with these files and a branch main. */
function repositoryOf(files: Readonly<Record<string, string>> = { 'a.txt': 'one\n', 'src/b.txt': 'two\n' }): string {
  const folder = madeFolder();
  git(folder, 'init', '--quiet', '--initial-branch=main');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  git(folder, 'add', '--all');
  git(folder, 'commit', '--quiet', '--message=first');
  return folder;
}

/** Two workers with the same path for workspaces, one after the other, as on two machines. */
function machines(store: RecordStore = new FileStore(madeFolder())) {
  const folder = madeFolder();
  const worker = (): FleetWorkspaces => new FleetWorkspaces({ folder, store, env: process.env, maxBytes: 100_000_000 });
  const another = (): FleetWorkspaces => {
    removeTree(Buffer.from(folder));
    return worker();
  };
  return { folder, store, worker, another };
}

/** Every entry with its content, mode and target; of git what it says of its state. */
function listing(root: string): Record<string, string> {
  const found: Record<string, string> = {};
  const look = (folder: Buffer, shown: string): void => {
    for (const name of readdirSync(folder, { encoding: 'buffer' })) {
      if (shown === '' && name.toString() === '.git') continue;
      const path = Buffer.concat([folder, Buffer.from('/'), name]);
      const at = `${shown}/${name.toString('latin1')}`;
      const stats = lstatSync(path);
      const mode = (stats.mode & 0o7777).toString(8);
      if (stats.isSymbolicLink()) found[at] = `-> ${readlinkSync(path, { encoding: 'buffer' }).toString('latin1')}`;
      else if (stats.isDirectory()) {
        found[at] = `folder ${mode}`;
        look(path, at);
      } else found[at] = `${mode} ${Math.floor(stats.mtimeMs)} ${readFileSync(path).toString('base64')}`;
    }
  };
  look(Buffer.from(root), '');
  return found;
}

test(`a workspace is made again elsewhere byte for byte, after any changes: HELVE_SEED=${seed}`, {
  timeout: 600_000,
}, async () => {
  const random = seeded(seed);
  for (let round = 0; round < ROUNDS; round += 1) {
    const url = `file://${repositoryOf({ 'a.txt': 'one', 'src/b.txt': 'two', 'src/deep/c.txt': 'three', 'bin/run': '#!' })}`;
    const { store, worker, another } = machines();
    const sessionId = randomId();
    const first = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
    for (let turn = 0; turn < 4; turn += 1) {
      for (let change = 0; change < 12; change += 1) changeAtRandom(first.root, random);
      await first.save();
    }
    const before = listing(first.root);
    const second = await another().open(await store.claim(sessionId), { url, ref: 'main' });
    expect(listing(second.root)).toEqual(before);
    changeAtRandom(second.root, random);
    await second.save();
    const after = listing(second.root);
    const third = await another().open(await store.claim(sessionId), { url, ref: 'main' });
    expect(listing(third.root)).toEqual(after);
  }
});

const NAMES = [
  'a.txt',
  'src',
  'new',
  'ünïcode',
  'line\nbreak',
  '-rf',
  ' ',
  'node_modules',
  'bytes',
  '.gitignore',
  'deep',
] as const;

function changeAtRandom(root: string, random: () => number): void {
  const any = <Item>(items: readonly [Item, ...Item[]]): Item => items[Math.floor(random() * items.length)] ?? items[0];
  let folder: Buffer = Buffer.from(root);
  while (random() < 0.5) {
    const next = Buffer.concat([folder, Buffer.from(`/${any(NAMES)}`)]);
    if (!lstatSync(next, { throwIfNoEntry: false })?.isDirectory()) break;
    folder = next;
  }
  const name = random() < 0.1 ? Buffer.from([0x2f, 0xff, 0xfe, 0x20]) : Buffer.from(`/${any(NAMES)}`);
  const path = Buffer.concat([folder, name]);
  const exists = lstatSync(path, { throwIfNoEntry: false });
  const choice = random();
  if (choice < 0.15) {
    removeTree(path);
    return;
  }
  if (choice < 0.3) {
    if (!exists) mkdirSync(path);
    return;
  }
  if (choice < 0.4) {
    removeTree(path);
    symlinkSync(any<string | Buffer>(['a.txt', '/etc/passwd', '../..', Buffer.from([0xff]), 'missing\n']), path);
    return;
  }
  if (choice < 0.5 && exists && !exists.isSymbolicLink()) {
    chmodSync(path, exists.isDirectory() ? any([0o755, 0o700, 0o2775]) : any([0o444, 0o600, 0o755, 0o4711]));
    return;
  }
  if (exists && !exists.isFile()) removeTree(path);
  if (exists?.isFile()) chmodSync(path, 0o644);
  const large = random() < 0.05 ? Buffer.alloc(2_500_000 + Math.floor(random() * 1_000_000), `${random()}`) : undefined;
  writeFileSync(path, large ?? `${'content '.repeat(Math.floor(random() * 20))}${random() < 0.3 ? '' : random()}`);
}

test('commits, branches, the index and a merge that is under way go with it; configuration and hooks do not', async () => {
  const url = `file://${repositoryOf()}`;
  const { store, worker, another } = machines();
  const sessionId = randomId();
  const { root, save } = await worker().open(await store.claim(sessionId), { url, ref: undefined });
  writeFileSync(join(root, 'a.txt'), 'changed\n');
  git(root, 'commit', '--quiet', '--all', '--message=second');
  git(root, 'branch', 'other');
  writeFileSync(join(root, 'staged.txt'), 'staged');
  git(root, 'add', 'staged.txt');
  writeFileSync(join(root, 'untracked.txt'), 'untracked');
  git(root, 'config', 'core.fsmonitor', join(root, 'evil'));
  mkdirSync(join(root, '.git/hooks'));
  writeFileSync(join(root, '.git/hooks/post-checkout'), '#!/bin/sh\n', { mode: 0o755 });
  const said = (folder: string): string[] => [
    git(folder, '-c', 'core.fsmonitor=false', 'status', '--short', '--branch'),
    git(folder, 'log', '--format=%H %s', '--all'),
    git(folder, 'for-each-ref'),
  ];
  await save();
  const before = said(root);
  const second = await another().open(await store.claim(sessionId), { url, ref: undefined });
  expect(said(second.root)).toEqual(before);
  expect(before[0]).toContain('A  staged.txt\n?? untracked.txt');
  expect(git(second.root, 'config', '--local', '--list')).not.toContain('fsmonitor');
  expect(existsSync(join(second.root, '.git/hooks'))).toBe(false);
  git(second.root, 'fsck', '--strict');
});

test('a snapshot without changes stores nothing, and the same content is stored once', async () => {
  const url = `file://${repositoryOf()}`;
  const { store, worker } = machines();
  const sessionId = randomId();
  const { root, save } = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
  await save();
  expect((await store.files(sessionId)).get('workspace/0/content')).toBeUndefined();
  const content = randomHex(40_000);
  for (const name of ['one', 'two']) writeFileSync(join(root, name), content);
  await save();
  expect((await store.files(sessionId)).get('workspace/0/content')).toBe(80_000);
  const size = (await store.files(sessionId)).get('workspace/0/tree');
  await save();
  expect((await store.files(sessionId)).get('workspace/0/tree')).toBe(size);
});

test('the next prompt uses a workspace that this worker has left, with what a person has changed in it', async () => {
  const url = `file://${repositoryOf()}`;
  const { store, worker, another } = machines();
  const sessionId = randomId();
  const here = worker();
  const first = await here.open(await store.claim(sessionId), { url, ref: 'main' });
  writeFileSync(join(first.root, 'kept.txt'), 'kept');
  await first.save();
  first.leave();
  const { ino } = lstatSync(first.root);
  writeFileSync(join(first.root, 'by-hand.txt'), 'by hand');
  const second = await here.open(await store.claim(sessionId), { url, ref: 'main' });
  expect(lstatSync(second.root).ino).toBe(ino);
  await second.save();
  const third = await another().open(await store.claim(sessionId), { url, ref: 'main' });
  expect(readFileSync(join(third.root, 'by-hand.txt'), 'utf8')).toBe('by hand');
  expect(readFileSync(join(third.root, 'kept.txt'), 'utf8')).toBe('kept');
});

test('a snapshot that was cut off anywhere leaves the one before, and the next continues', async () => {
  const url = `file://${repositoryOf()}`;
  const { store, worker, another } = machines();
  const sessionId = randomId();
  const { root, save } = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
  writeFileSync(join(root, 'first.txt'), 'first');
  await save();
  // What a kill leaves: contents without their line, and a line without its end.
  const owner = await store.claim(sessionId);
  const files = await store.files(sessionId);
  await store.append(owner, [
    { file: 'workspace/0/content', position: files.get('workspace/0/content') ?? 0, bytes: Buffer.from('half') },
    { file: 'workspace/0/tree', position: files.get('workspace/0/tree') ?? 0, bytes: Buffer.from('\n{"set":[{"pa') },
  ]);
  const second = await another().open(await store.claim(sessionId), { url, ref: 'main' });
  expect(readdirSync(second.root).toSorted()).toEqual(['.git', 'a.txt', 'first.txt', 'src']);
  writeFileSync(join(second.root, 'second.txt'), 'second');
  await second.save();
  const third = await another().open(await store.claim(sessionId), { url, ref: 'main' });
  expect(readFileSync(join(third.root, 'second.txt'), 'utf8')).toBe('second');
});

test('a restore that was killed leaves nothing that the next one uses', async () => {
  const url = `file://${repositoryOf()}`;
  const { folder, store, worker } = machines();
  const sessionId = randomId();
  const { root, save } = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
  await save();
  mkdirSync(join(folder, `.${sessionId}.0123456789ab.old`, 'half'), { recursive: true });
  writeFileSync(join(root, 'not-stored.txt'), 'of a worker that was killed');
  const second = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
  expect(readdirSync(second.root).toSorted()).toEqual(['.git', 'a.txt', 'src']);
  expect(readdirSync(folder).toSorted()).toEqual(['.helve-workspaces', '.mirrors', sessionId, `${sessionId}.json`]);
});

test('a session that lost its worker never writes through links of its repository when it is restored', async () => {
  const outside = madeFolder();
  writeFileSync(join(outside, 'kept.txt'), 'kept');
  const repository = repositoryOf();
  symlinkSync(outside, join(repository, 'out'));
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message=link');
  const url = `file://${repository}`;
  const { store, worker, another } = machines();
  const sessionId = randomId();
  const { root, save } = await worker().open(await store.claim(sessionId), { url, ref: 'main' });
  rmSync(join(root, 'out'));
  mkdirSync(join(root, 'out'));
  writeFileSync(join(root, 'out/kept.txt'), 'of the session');
  await save();
  rmSync(join(root, 'out/kept.txt'));
  await save();
  const second = await another().open(await store.claim(sessionId), { url, ref: 'main' });
  expect(readdirSync(join(second.root, 'out'))).toEqual([]);
  expect(readFileSync(join(outside, 'kept.txt'), 'utf8')).toBe('kept');
});

test('a folder with files that are not those of workspaces is refused, and left as it is', () => {
  const folder = madeFolder();
  chmodSync(folder, 0o755);
  writeFileSync(join(folder, 'package.json'), '{}');
  const open = (path: string) => new FleetWorkspaces({ folder: path, store: new FileStore(madeFolder()), env: {} });
  expect(() => open(folder)).toThrow(
    /--workspaces, .*can't be used: it has files that are not workspaces .* Name an empty/,
  );
  expect(() => open(join(folder, 'package.json'))).toThrow(/can't be used: .* Name an empty folder/);
  expect(readdirSync(folder)).toEqual(['package.json']);
  expect(lstatSync(folder).mode & 0o777).toBe(0o755);
  open(join(folder, 'new'));
  open(join(folder, 'new'));
});
