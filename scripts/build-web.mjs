// Bundles the web view into a folder: a script, its parts that load when they are needed, one style sheet, all with
// hashes in their names, an icon, and index.html
// without inline script or style.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export async function buildWeb(folder) {
  const { outputFiles, metafile } = await build({
    entryPoints: { helve: 'src/web/main.tsx', style: 'src/web/styles/index.css' },
    outdir: join(folder, 'assets'),
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    metafile: true,
    write: false,
    logLevel: 'warning',
  });
  const assets = join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
  writeFileSync(join(assets, 'icon.svg'), readFileSync('src/web/icon.svg'));
  const names = outputFiles.map(({ path }) => basename(path));
  const nameOf = (start) => `/assets/${names.find((name) => name.startsWith(start))}`;
  const page = readFileSync('src/web/index.html', 'utf8')
    .replace('STYLE', nameOf('style-'))
    .replace('SCRIPT', nameOf('helve-'));
  writeFileSync(join(folder, 'index.html'), page);
  // Those of earlier builds, after the new ones are written.
  for (const name of readdirSync(assets)) {
    if (name !== 'icon.svg' && !names.includes(name)) rmSync(join(assets, name), { force: true });
  }
  return metafile;
}
