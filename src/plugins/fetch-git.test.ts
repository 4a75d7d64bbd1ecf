import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withSource } from './acquire.js';
import type { FetchLimits } from './fetch-git.js';
import { pluginFolders } from './plugin-folders.js';

const MEGABYTE = 1024 * 1024;

/** Fetches a repository with this file, and gives what is left in the folder of plugins afterwards. */
async function fetchFile(content: Buffer, limits: FetchLimits) {
  const folder = mkdtempSync(join(tmpdir(), 'helve-fetch-'));
  const [repository, dataFolder] = [join(folder, 'repository'), join(folder, 'data')];
  mkdirSync(repository);
  writeFileSync(join(repository, 'file'), content);
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { stdio: 'ignore' });
  git('init', '-q');
  git('add', '-A');
  git('commit', '-qm', 'x');
  const source = { source: 'git', url: `file://${repository}` } as const;
  const found = await withSource(source, { dataFolder, env: process.env, limits }, async (fetched) =>
    readdirSync(fetched),
  ).catch((error: unknown) => error);
  return { found, left: readdirSync(pluginFolders(dataFolder).root), url: source.url };
}

test('a repository within the limit is fetched', async () => {
  const { found } = await fetchFile(randomBytes(MEGABYTE), { bytes: 4 * MEGABYTE });
  expect(found).toEqual(['.git', 'file']);
});

test.each([
  ['what is fetched', randomBytes(3 * MEGABYTE)],
  ['what is checked out', Buffer.alloc(30 * MEGABYTE)], // which git sends in some kilobytes
])('a repository is refused if %s takes too much space, and nothing is left', async (_, content) => {
  const { found, left, url } = await fetchFile(content, { bytes: 2 * MEGABYTE });
  expect(String(found)).toBe(
    `PluginProblem: ${url} can't be used: it takes more than 2 MB on disk, which is the limit for a repository. Nothing of it was kept.`,
  );
  expect(left).toEqual([]);
});

test('a fetch that takes too long is refused, and nothing is left', async () => {
  const { found, left, url } = await fetchFile(Buffer.from('x'), { ms: 0 });
  expect(String(found)).toBe(
    `PluginProblem: ${url} can't be used: git took longer than 0 seconds, which is the limit. Nothing of it was kept.`,
  );
  expect(left).toEqual([]);
});
