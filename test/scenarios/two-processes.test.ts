import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { link, mkdir, mkdtemp, readdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { journalFolders, listChanges } from '../../src/platform/journal/journal.js';
import { buildProgram } from './build-program.js';

const EDITS = process.env['HELVE_SOAK'] ? 1_000 : 60;

const program = (platform: string): string => `
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StaleFile } from '../../contract/file-change.ts';
import { createFileChanges } from './file-changes.ts';
import { hashOf } from '../crypto.ts';

Object.defineProperty(process, 'platform', { value: '${platform}' });
const [root, dataFolder, sessionId, edits] = process.argv.slice(2);
const changes = createFileChanges({ dataFolder, sessionId });
const ways = [['a'], ['b', 'a'], ['a', 'b'], ['named-twice'], ['other-name', 'b']];

async function addOne(name) {
  const real = join(root, name);
  const before = await readFile(real);
  return { real, before: hashOf(before), after: Buffer.from(String(Number(before.toString()) + 1)) };
}

let stale = 0;
for (let edit = 0; edit < Number(edits); edit += 1) {
  for (;;) {
    try {
      await changes.apply('call', await Promise.all(ways[edit % ways.length].map(addOne)));
      break;
    } catch (error) {
      if (!(error instanceof StaleFile)) throw error;
      stale += 1;
    }
  }
}
process.stdout.write(String(stale));`;

// On a system without /proc, Helve identifies processes and checks opened files in other ways.
test.each([process.platform, 'freebsd'])(
  'two processes that change the same files lose no update (%s)',
  async (platform) => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'helve-two-')));
    const [root, dataFolder] = [join(folder, 'project'), join(folder, 'data')];
    await mkdir(root);
    for (const name of ['a', 'b', 'named-twice']) await writeFile(join(root, name), '0');
    await link(join(root, 'named-twice'), join(root, 'other-name'));
    const bundle = await buildProgram(program(platform));
    const codes = ['first', 'second'].map(async (session) => {
      const args = [bundle, root, dataFolder, session, String(EDITS)];
      const [code] = await once(spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] }), 'exit');
      return code;
    });
    expect(await Promise.all(codes)).toEqual([0, 0]);

    const numbers = ['a', 'b', 'named-twice', 'other-name'].map((name) => readFile(join(root, name), 'utf8'));
    const each = (2 * EDITS) / 5;
    expect((await Promise.all(numbers)).map(Number)).toEqual([3 * each, 3 * each, 2 * each, 2 * each]);
    const listed = ['first', 'second'].map(async (session) => (await listChanges(dataFolder, session)).length);
    expect(await Promise.all(listed)).toEqual([EDITS, EDITS]);
    const { open, locks } = journalFolders(dataFolder);
    expect([await readdir(open), await readdir(locks)]).toEqual([[], []]);
    expect((await readdir(root)).toSorted()).toEqual(['a', 'b', 'named-twice', 'other-name']);
  },
);
