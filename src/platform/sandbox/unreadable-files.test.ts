import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { UnreadableFiles } from '../../contract/tool-context.js';
import { createUnreadableFinder, type FinderLimits } from './unreadable-files.js';

function disk(files: readonly string[]) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-unreadable-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  const write = (name: string) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), '');
  };
  for (const file of files) write(file);
  const root = path('project');
  const search = (denied: UnreadableFiles) => ({ files: denied, workspace: [root], needed: [root] });
  return { root, path, write, search };
}

/** Denies all files whose own name passes, at or below the start. */
function named(start: string, isDenied: (name: string) => boolean, looked: string[] = []): UnreadableFiles {
  return {
    key: 'one',
    starts: [start],
    matches(path) {
      looked.push(path);
      return path.startsWith(start) && isDenied(basename(path));
    },
    mayMatchBelow: () => true,
  };
}

const isSecret = (name: string) => name.startsWith('.env');

test('finds files at any depth, including hidden ones and those in hidden folders', () => {
  const { root, search } = disk([
    'project/.env',
    'project/a/b/.env.local',
    'project/.x/.env',
    'project/a/env',
    'other/.env',
  ]);
  const { paths, notes } = createUnreadableFinder().find(search(named(root, isSecret)));
  expect(paths.toSorted()).toEqual([join(root, '.env'), join(root, '.x/.env'), join(root, 'a/b/.env.local')]);
  expect(notes).toEqual([]);
});

test('a denied folder is one path, regardless of its content', () => {
  const { root, search } = disk(['project/keys/a', 'project/keys/b/c']);
  const { paths } = createUnreadableFinder().find(search(named(root, (name) => name === 'keys')));
  expect(paths).toEqual([join(root, 'keys')]);
});

test('a single path is found anywhere, and a missing one is ignored', () => {
  const { path, search } = disk(['project/a', 'elsewhere/key']);
  const files = { ...named(path(''), (name) => name === 'key'), starts: [path('elsewhere/key'), path('missing')] };
  const finder = createUnreadableFinder();
  expect(finder.find(search({ ...files, mayMatchBelow: () => false })).paths).toEqual([path('elsewhere/key')]);
});

test('if a denied folder contains the project, the rest of it is hidden, and denied files of the project', () => {
  const { root, path, search } = disk(['project/a/b', 'other/x', 'file']);
  const all = { ...named(path(''), () => true), starts: [path('')] };
  const { paths } = createUnreadableFinder().find(search(all));
  expect(paths.toSorted()).toEqual([path('file'), path('other'), join(root, 'a')].toSorted());
});

test('paths that a command needs stay visible', () => {
  const { root, path, search } = disk(['project/a', 'data/tmp/x', 'data/y']);
  const all = { ...named(path(''), () => true), starts: [path('')] };
  const { paths } = createUnreadableFinder().find({
    ...search(all),
    needed: [root, path('data/tmp')],
  });
  expect(paths.toSorted()).toEqual([path('data/y'), join(root, 'a')]);
});

test('a symlink with a denied name hides its target, and so does a symlink to a denied file', () => {
  const { root, path, search } = disk(['project/a', 'shared/env', 'shared/.env']);
  symlinkSync(path('shared/env'), join(root, '.env'));
  symlinkSync(path('shared/.env'), join(root, 'innocent'));
  symlinkSync('nowhere', join(root, '.env.dead'));
  const { paths } = createUnreadableFinder().find(search(named(path(''), isSecret)));
  expect(paths.toSorted()).toEqual([path('shared/.env'), path('shared/env')]);
});

test('a linked folder outside is searched under the name of its link, and a circular one once', () => {
  const { root, path, search } = disk(['project/a', 'shared/deep/.env']);
  symlinkSync(path('shared'), join(root, 'link'));
  symlinkSync(path('shared'), path('shared/deep/again'));
  symlinkSync('..', join(root, 'up'));
  const { paths, notes } = createUnreadableFinder().find(search(named(root, isSecret)));
  expect({ paths, notes }).toEqual({ paths: [path('shared/deep/.env')], notes: [] });
});

test('the result is up to date after every change', () => {
  const { root, path, write, search } = disk(['project/a/one', 'project/b/two', 'away/.env']);
  const files = named(root, isSecret);
  const finder = createUnreadableFinder();
  expect(finder.find(search(files)).paths).toEqual([]);
  write('project/b/.env');
  expect(finder.find(search(files)).paths).toEqual([join(root, 'b/.env')]);
  renameSync(path('away'), join(root, 'a/here'));
  expect(finder.find(search(files)).paths.toSorted()).toEqual([join(root, 'a/here/.env'), join(root, 'b/.env')]);
  rmSync(join(root, 'b/.env'));
  expect(finder.find(search(files)).paths).toEqual([join(root, 'a/here/.env')]);
});

test('a folder that has not changed for a while is read only once', () => {
  const { root, search } = disk(['project/a/.env', 'project/b/two']);
  const looked: string[] = [];
  const files = named(root, isSecret, looked);
  const finder = createUnreadableFinder({ now: () => Date.now() + 60_000 });
  const first = finder.find(search(files));
  looked.length = 0;
  expect(finder.find(search(files))).toEqual(first);
  expect(looked).toEqual([root]); // the start alone
});

test('prepared folders are not read again, unless they have changed since', async () => {
  const { root, search } = disk(['project/a/.env', 'project/b/two']);
  const looked: string[] = [];
  const files = named(root, isSecret, looked);
  const finder = createUnreadableFinder({ now: () => Date.now() + 60_000 });
  await finder.prepare(search(files));
  looked.length = 0;
  expect(finder.find(search(files)).paths).toEqual([join(root, 'a/.env')]);
  expect(looked).toEqual([root]);
  writeFileSync(join(root, 'b/.env'), '');
  expect(finder.find(search(files)).paths).toEqual([join(root, 'a/.env'), join(root, 'b/.env')]);
});

test('results are not reused for other rules', () => {
  const { root, search } = disk(['project/.env', 'project/key']);
  const finder = createUnreadableFinder();
  finder.find(search(named(root, isSecret)));
  const { paths } = finder.find(search({ ...named(root, (name) => name === 'key'), key: 'two' }));
  expect(paths).toEqual([join(root, 'key')]);
});

test.each<[string, FinderLimits]>([
  ['too many folders', { maxFolders: 2 }],
  ['too much time', { maxMs: -1 }],
  ['too many files', { maxHidden: 1 }],
])('%s end the search, and a note says where', (_name, limits) => {
  const { root, search } = disk(['project/.env', 'project/a/.env', 'project/a/b/.env', 'project/a/b/c/.env']);
  const { paths, notes } = createUnreadableFinder(limits).find(search(named(root, isSecret)));
  expect(paths.length).toBeLessThan(4);
  expect(notes.join()).toContain(
    `Rules keep files below ${root} from being read, and not all of them could be looked for`,
  );
});

test('too many denied files in one folder are reported too', () => {
  const { root, search } = disk(['project/.env', 'project/.env.a', 'project/.env.b']);
  const { paths, notes } = createUnreadableFinder({ maxHidden: 2 }).find(search(named(root, isSecret)));
  expect(paths).toHaveLength(2);
  expect(notes.join()).toContain('Rules keep more than 2 files from being read');
});

test('a hard link of a denied file is reported', () => {
  const { root, search } = disk(['project/.env']);
  linkSync(join(root, '.env'), join(root, 'innocent'));
  const { notes } = createUnreadableFinder().find(search(named(root, isSecret)));
  expect(notes).toEqual([
    `${join(root, '.env')} may not be read and is hidden from commands, but it has 1 more names (hard links), by which they can read it.`,
  ]);
});
