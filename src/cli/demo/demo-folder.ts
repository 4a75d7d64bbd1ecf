import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
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
  const home = await realpath(await mkdtemp(join(tmpdir(), 'helve-demo-')));
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
