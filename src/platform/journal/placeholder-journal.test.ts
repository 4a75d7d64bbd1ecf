import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { journalFolders } from './journal.js';
import { PlaceholderJournal } from './placeholder-journal.js';
import { recoverChanges } from './recover-changes.js';

async function place(): Promise<{ dataFolder: string; path(name: string): string; killed(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-held-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const dataFolder = join(folder, 'data');
  return {
    dataFolder,
    path: (name) => join(folder, name),
    /** Makes the writer of the records look dead: its start time no longer matches. */
    async killed() {
      const { open } = journalFolders(dataFolder);
      for (const name of (await readdir(open)).filter((one) => one.endsWith('.json'))) {
        const record = JSON.parse(await readFile(join(open, name), 'utf8'));
        record.owner.started -= 1;
        await writeFile(join(open, name), JSON.stringify(record));
      }
    },
  };
}

test('the next start removes the placeholders of a killed process, and nothing else', async () => {
  const { dataFolder, path, killed } = await place();
  const places = await PlaceholderJournal.begin(dataFolder, 'session');
  const names = ['.helve', '.vscode', '.mcp.json', 'own'].map(path);
  places.add(names);
  for (const name of names) await mkdir(name);
  places.remove([path('own')]); // another program has created it again since
  await writeFile(path('.vscode/tasks.json'), '{}');
  await killed();
  await recoverChanges(dataFolder);
  expect((await readdir(path('.'))).toSorted()).toEqual(['.vscode', 'data', 'own']);
  expect(await readdir(journalFolders(dataFolder).open)).toEqual([]);
});

test('placeholders of a running process stay', async () => {
  const { dataFolder, path } = await place();
  const places = await PlaceholderJournal.begin(dataFolder, 'session');
  places.add([path('.helve')]);
  await mkdir(path('.helve'));
  await recoverChanges(dataFolder);
  expect(await readdir(path('.'))).toContain('.helve');
  await places.end();
  expect(await readdir(journalFolders(dataFolder).open)).toEqual([]);
});

test('placeholder files are removed if their content is unchanged', async () => {
  const { dataFolder, path, killed } = await place();
  const places = await PlaceholderJournal.begin(dataFolder, 'session');
  for (const name of ['a', 'b']) await mkdir(path(name));
  places.add(['a/commondir', 'a/config.worktree', 'b/commondir', 'b/config.worktree'].map(path));
  await writeFile(path('a/commondir'), '.\n');
  await writeFile(path('a/config.worktree'), '');
  await writeFile(path('b/commondir'), '../other\n');
  await writeFile(path('b/config.worktree'), '[core]\n');
  await killed();
  await recoverChanges(dataFolder);
  expect([await readdir(path('a')), (await readdir(path('b'))).toSorted()]).toEqual([
    [],
    ['commondir', 'config.worktree'],
  ]);
});
