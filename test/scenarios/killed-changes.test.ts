import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, readdir, readFile, realpath, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { journalFolders, listChanges, makeJournal } from '../../src/platform/journal/journal.js';
import { recoverChanges } from '../../src/platform/journal/recover-changes.js';
import { seeded, seedOfRun } from '../seeded.js';
import { buildProgram } from './build-program.js';

const SEED = seedOfRun();
const KILLS = process.env['HELVE_SOAK'] ? 500 : 12;
const LINES = 20_000; // of the file with two names: enough that its writing can be cut in two

const program = `
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileChanges } from './file-changes.ts';
import { hashOf } from '../crypto.ts';

const [root, dataFolder] = process.argv.slice(2);
const changes = createFileChanges({ dataFolder, sessionId: 's' });
const path = (name) => join(root, name);
const change = async (name, text) => {
  const before = await readFile(path(name)).catch(() => null);
  return { real: path(name), before: before && hashOf(before), after: text === null ? null : Buffer.from(text) };
};
const text = (number, lines) => \`\${number}\\n\`.repeat(lines);
const numberIn = async (name) => Number.parseInt(await readFile(path(name), 'utf8'));

async function changeAll() {
  await changes.apply('single', [await change('single', text((await numberIn('single')) + 1, 500))]);
  const number = (await numberIn('one')) + 1;
  await changes.apply('several', [
    await change('one', text(number, 500)),
    await change('named-twice', text(number, ${LINES} - (number % 3) * 1_000)),
    await change(\`folder-\${number}/deeper/made\`, text(number, 5)),
    await change(\`folder-\${number - 1}/deeper/made\`, null),
    await change('two', text(number, 500)),
  ]);
}

for (;;) {
  await changeAll().catch((error) => {
    if (error.name !== 'StaleFile') throw error; // what a killed process had left was taken back meanwhile
  });
  process.stdout.write('again');
}`;

interface Story {
  root: string;
  dataFolder: string;
  path(name: string): string;
}

async function begin(): Promise<Story> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-killed-')));
  const root = join(folder, 'project');
  const dataFolder = join(folder, 'data');
  await makeJournal(journalFolders(dataFolder));
  const path = (name: string): string => join(root, name);
  await mkdir(path('folder-0/deeper'), { recursive: true });
  for (const name of ['single', 'one', 'two', 'named-twice', 'folder-0/deeper/made'])
    await writeFile(path(name), '0\n');
  await link(path('named-twice'), path('other-name'));
  return { root, dataFolder, path };
}

/** Every line of the file is the same number. */
async function numberIn(path: string): Promise<number> {
  const lines = (await readFile(path, 'utf8')).split('\n');
  expect(lines.pop()).toBe('');
  expect([...new Set(lines)]).toHaveLength(1);
  return Number(lines[0]);
}

async function expectWhole({ root, dataFolder, path }: Story): Promise<number> {
  const number = await numberIn(path('one'));
  const single = await numberIn(path('single'));
  for (const name of ['two', 'named-twice', 'other-name', `folder-${number}/deeper/made`]) {
    expect(await numberIn(path(name))).toBe(number);
  }
  const names = await readdir(root, { recursive: true });
  expect(names.filter((name) => name.endsWith('.tmp') || name.endsWith('made'))).toEqual([
    `folder-${number}/deeper/made`,
  ]);
  expect(names).not.toContain(`folder-${number + 1}`);
  expect((await stat(path('named-twice'))).ino).toBe((await stat(path('other-name'))).ino);
  await expectNothingOpen(dataFolder);
  const listed = await listChanges(dataFolder, 's');
  expect(listed.filter(({ callId }) => callId === 'several')).toHaveLength(number);
  expect(listed.filter(({ callId }) => callId === 'single')).toHaveLength(single);
  return number;
}

/** A record that was cut short while it was made locks nothing; not knowing whose it is, others let it grow old first. */
async function expectNothingOpen(dataFolder: string): Promise<void> {
  const { open, locks } = journalFolders(dataFolder);
  for (const name of await readdir(open)) {
    expect(await readFile(join(open, name), 'utf8')).toBe('');
    await utimes(join(open, name), new Date(0), new Date(0));
  }
  await recoverChanges(dataFolder);
  expect([...(await readdir(open)), ...(await readdir(locks))]).toEqual([]);
}

test(`leaves every file whole, old or new, and all files of one change alike, when the process is killed: HELVE_SEED=${SEED}`, async () => {
  const random = seeded(SEED);
  const story = await begin();
  const bundle = await buildProgram(program);
  let restored = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const child = spawn(process.execPath, [bundle, story.root, story.dataFolder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await delay(random() * 60); // the moment is what is tried out here, not waited for
    child.kill('SIGKILL');
    const [code] = await once(child, 'exit');
    expect(code).toBeNull();
    // Two at once, as when two terminals are opened after a crash.
    const reports = await Promise.all([recoverChanges(story.dataFolder), recoverChanges(story.dataFolder)]);
    expect(reports.flatMap(({ left }) => left)).toEqual([]);
    restored += reports.flatMap((report) => report.restored).length;
    await expectWhole(story);
  }
  expect(await expectWhole(story)).toBeGreaterThan(0);
  if (process.env['HELVE_SOAK']) expect(restored).toBeGreaterThan(0);
});

test(`a process that starts after a killed one recovers what it needs by itself: HELVE_SEED=${SEED}`, async () => {
  const random = seeded(SEED);
  const story = await begin();
  const bundle = await buildProgram(program);
  for (let kill = 0; kill < KILLS / 2; kill += 1) {
    const child = spawn(process.execPath, [bundle, story.root, story.dataFolder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(child.stdout, 'data');
    await delay(random() * 60);
    child.kill('SIGKILL');
    const [code] = await once(child, 'exit');
    expect(code).toBeNull();
  }
  await recoverChanges(story.dataFolder);
  await expectWhole(story);
});
