// The package as users get it: packed, and installed into an empty folder. That takes seconds, so all test files of a
// run share one installation; the first test file that needs it makes it.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { fileAppears } from '../cli/run-helve.js';

export interface InstalledPackage {
  /** The folder of the person who has installed it: `node_modules` is in it. */
  folder: string;
  /** What the tarball holds. */
  files: ReadonlyArray<{ path: string; size: number }>;
  tarballBytes: number;
}

type Outcome = { installed: InstalledPackage } | { failure: string };

export const INSTALL_MS = 180_000; // on a machine that others share, with nothing in npm's cache

const run = promisify(execFile);

export async function installedPackage(): Promise<InstalledPackage> {
  const place = join(tmpdir(), `helve-package-${process.ppid}`); // the parent is the same for all test files of a run
  const isFirst = await mkdir(place).then(
    () => true,
    () => false,
  );
  if (isFirst) await leaveOutcome(place, await make(place).catch((error: unknown) => ({ failure: String(error) })));
  else await fileAppears(place, 'outcome.json');
  const outcome: Outcome = JSON.parse(await readFile(join(place, 'outcome.json'), 'utf8'));
  if ('failure' in outcome) throw new Error(`The package could not be packed and installed. ${outcome.failure}`);
  return outcome.installed;
}

/** Writes the file with a rename: a waiting process reads it as soon as it appears, so it must be complete. */
async function leaveOutcome(place: string, outcome: Outcome): Promise<void> {
  await writeFile(join(place, 'outcome'), JSON.stringify(outcome));
  await rename(join(place, 'outcome'), join(place, 'outcome.json'));
}

async function make(place: string): Promise<Outcome> {
  // Other tests run what is in dist/, so it is packed as it was built before them.
  if (!existsSync('dist/types/index.d.ts')) {
    await run('npx', ['tsc', '-p', 'tsconfig.types.json']);
    await run(process.execPath, ['scripts/keep-public-types.mjs']);
  }
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', place]);
  const [packed] = JSON.parse(stdout);
  const folder = join(place, 'project');
  await mkdir(folder);
  const quiet = ['--no-audit', '--no-fund', '--loglevel', 'error'];
  // Named as the prefix: above an empty folder, npm looks for another project to install into.
  await run('npm', ['install', '--prefix', folder, '--prefer-offline', ...quiet, join(place, packed.filename)]);
  return { installed: { folder, files: packed.files, tarballBytes: packed.size } };
}
