// Bundles the command line and the library entry points into dist/, split into chunks that load when they are needed.
import { readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const started = performance.now();
const shared = {
  outdir: 'dist',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  // By this ending Node knows a module for what it is, without a search for the package.json above each file.
  outExtension: { '.js': '.mjs' },
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  // Finds its platform's binary by a look beside its own folder, so it can't be moved into a bundle.
  external: ['@vscode/ripgrep'],
  // Its other form loads its parts in a way that no bundler can follow.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  define: { HELVE_VERSION: JSON.stringify(manifest.version) },
  logLevel: 'warning',
};
// Apart from the library: what both would share would be cut into many small chunks, and each costs time at the start.
const builds = await Promise.all([
  build({ ...shared, entryPoints: { cli: 'src/cli/main.ts' }, chunkNames: 'chunks/cli-[name]-[hash]' }),
  build({
    ...shared,
    entryPoints: {
      index: 'src/index.ts',
      tools: 'src/tools/index.ts',
      models: 'src/models/index.ts',
      testing: 'src/testing/index.ts',
    },
    chunkNames: 'chunks/[name]-[hash]',
  }),
]);
// Old chunks go once the new ones stand, so that whoever runs the command line meanwhile finds all of it.
const current = new Set(builds.flatMap(({ metafile }) => Object.keys(metafile.outputs)).map((path) => basename(path)));
for (const folder of ['dist', 'dist/chunks']) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !current.has(entry.name)) rmSync(join(folder, entry.name), { force: true });
  }
}
if (process.stdout.isTTY) console.log(`built dist/ in ${Math.round(performance.now() - started)} ms`);
