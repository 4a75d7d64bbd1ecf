// Bundles the command line and the library entry points into dist/, split into chunks that load when they are needed.
import { rmSync } from 'node:fs';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };

const started = performance.now();
rmSync('dist/chunks', { recursive: true, force: true });
await build({
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
  // Finds its platform's binary by a look beside its own folder, so it can't be moved into a bundle.
  external: ['@vscode/ripgrep'],
  define: { HELVE_VERSION: JSON.stringify(manifest.version) },
  logLevel: 'warning',
});
if (process.stdout.isTTY) console.log(`built dist/ in ${Math.round(performance.now() - started)} ms`);
