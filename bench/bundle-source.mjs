// Benchmarks of parts that have no entry point of their own: bundles one source file as the build does and imports it.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const root = fileURLToPath(new URL('..', import.meta.url));

/** The module at a path relative to the project's root, for example `src/platform/text/partial-json.ts`. */
export async function importSource(path) {
  // Below node_modules, so that what stays outside the bundle is found from there.
  const cache = join(root, 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'bench-'));
  try {
    const outfile = join(folder, 'source.mjs');
    await build({
      entryPoints: [join(root, path)],
      outfile,
      bundle: true,
      format: 'esm',
      platform: 'node',
      target: 'node22.12',
      external: ['@vscode/ripgrep'],
      define: { HELVE_VERSION: JSON.stringify(manifest.version) },
      logLevel: 'warning',
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
