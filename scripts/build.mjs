// Bundles the command line and the library entry points into dist/, split into chunks that load when they are needed.
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const started = performance.now();
const { metafile } = await build({
  entryPoints: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    tools: 'src/tools/index.ts',
    models: 'src/models/index.ts',
    testing: 'src/testing/index.ts',
  },
  outdir: 'dist',
  chunkNames: 'chunks/[name]-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  // Finds its platform's binary by a look beside its own folder, so it can't be moved into a bundle.
  external: ['@vscode/ripgrep'],
  define: { HELVE_VERSION: JSON.stringify(manifest.version) },
  logLevel: 'warning',
});
// Old chunks go once the new ones stand, so that whoever runs the command line meanwhile finds all of it.
const current = new Set(Object.keys(metafile.outputs).map((path) => basename(path)));
for (const name of readdirSync('dist/chunks')) if (!current.has(name)) rmSync(join('dist/chunks', name), { force: true });
if (process.stdout.isTTY) console.log(`built dist/ in ${Math.round(performance.now() - started)} ms`);
