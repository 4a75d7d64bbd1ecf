import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a small program that uses the sources, to be run as a process of its own. */
export async function buildProgram(contents: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'helve-program-')), 'program.mjs');
  const resolveDir = join(import.meta.dirname, '..', '..', 'src', 'platform', 'journal');
  const stdin = { contents, resolveDir, loader: 'ts' } as const;
  await build({ stdin, bundle: true, platform: 'node', format: 'esm', target: 'node22', outfile, logLevel: 'error' });
  return outfile;
}
