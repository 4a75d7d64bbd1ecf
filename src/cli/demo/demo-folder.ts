import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { hashOf } from '../../platform/crypto.js';
import { codeOf } from '../../platform/error-code.js';
import { sampleProject } from './sample-project.js';

/** Where a demo works: a temporary folder with the sample project and a home of its own. */
export interface DemoFolder {
  root: string;
  home: string;
  /** The user's own, without their settings of Helve, and with our own Node first, by which the sample's tests run. */
  env: Readonly<Record<string, string | undefined>>;
  /** Writes the sample project as it was at the start. */
  reset(): Promise<void>;
}

/** Creates the folder, and removes it once `use` has finished. */
export async function inDemoFolder<Result>(use: (folder: DemoFolder) => Promise<Result>): Promise<Result> {
  await removeLeftovers(tmpdir());
  const home = await realpath(await mkdtemp(join(tmpdir(), `${namePrefix()}${process.pid}-`)));
  const root = join(home, 'corner-shop');
  const { PATH = '', NODE_TEST_CONTEXT: _, HELVE_MODEL: __, HELVE_SMALL_MODEL: ___, ...env } = process.env;
  const own = { HELVE_HOME: join(home, 'helve'), CLAUDE_CONFIG_DIR: join(home, 'claude') };
  const reset = async (): Promise<void> => {
    for (const [name, content] of Object.entries(sampleProject)) {
      await mkdir(dirname(join(root, name)), { recursive: true });
      await writeFile(join(root, name), content);
    }
  };
  try {
    await reset();
    return await use({
      root,
      home,
      env: { ...env, PATH: `${dirname(process.execPath)}${delimiter}${PATH}`, ...own },
      reset,
    });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** With the machine, since containers may share a temporary folder, but not their process ids. */
const namePrefix = (): string => `helve-demo-${hashOf(Buffer.from(hostname())).slice(0, 6)}-`;

/** Removes the folders of demos that were killed. */
export async function removeLeftovers(folder: string): Promise<void> {
  const prefix = namePrefix();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, pid] = name.startsWith(prefix) ? (/^(\d+)-/.exec(name.slice(prefix.length)) ?? []) : [];
    if (pid === undefined || isRunning(Number(pid))) continue;
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => {}); // another user's
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}
