// Bundles the command line and the library entry points into dist/, split into chunks that load when they are needed.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { featureGates } from './feature-gates.mjs';
import { joinParts } from './join-parts.mjs';

// Another folder of the project, for a build that is only looked at.
const out = process.env.HELVE_BUILD_FOLDER ?? 'dist';
const started = performance.now();
const shared = {
  outdir: out,
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
  // Their other forms load their parts in ways that no bundler can follow, or give no names to what they export.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js', yaml: resolve('node_modules/yaml/browser/index.js') },
  define: { HELVE_VERSION: JSON.stringify(manifest.version), ...featureGates() },
  logLevel: 'warning',
};
// Apart from the library: what both would share would be cut into many small chunks, and each costs time at the start.
const builds = await Promise.all([
  buildCommandLine(),
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
for (const folder of [out, `${out}/chunks`]) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !current.has(entry.name)) rmSync(join(folder, entry.name), { force: true });
  }
}
if (process.stdout.isTTY) console.log(`built ${out}/ in ${Math.round(performance.now() - started)} ms`);

/**
 * In the command line, each tool is loaded with its first call: most of the time that a start took went into tools that
 * nobody had called yet, and into their schemas. What the model is told of them is found out here. The list itself
 * stays the one in the source: of each of its imports that can wait, a lazy one is made.
 */
async function lazyTools() {
  const list = resolve('src/tools/index.ts');
  const source = readFileSync(list, 'utf8');
  const imports = [...source.matchAll(/^import \{ (\w+Tool) \} from '(.+)';$/gm)];
  const facts = await factsByName(imports.map(([, name, path]) => `export { ${name} } from '${path}';`));
  const lazy = imports.reduce((text, [line, name, path]) => {
    if (!facts[name]) return text;
    return text.replace(
      line,
      () => `const ${name} = lazyTool(${JSON.stringify(facts[name])}, async () => (await import('${path}')).${name});`,
    );
  }, source);
  const contents = `import { lazyTool } from '../contract/lazy-tool.js';\n${lazy}`;
  return {
    name: 'lazy-tools',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]src[\\/]tools[\\/]index\.ts$/ }, () => ({
        contents,
        loader: 'ts',
        resolveDir: 'src/tools',
      }));
    },
  };
}

/** Nothing happens when its modules are loaded, though it does not say so: what is not used of it is left out. */
function terminalLibrary() {
  const folder = resolve('node_modules/@earendil-works/pi-tui/dist');
  return {
    name: 'terminal-library',
    setup({ onResolve }) {
      onResolve({ filter: /^@earendil-works\/pi-tui$/ }, () => ({
        path: join(folder, 'index.js'),
        sideEffects: false,
      }));
      onResolve({ filter: /^\.\.?\// }, ({ path, importer }) =>
        importer.startsWith(folder) ? { path: resolve(dirname(importer), path), sideEffects: false } : undefined,
      );
    },
  };
}

/** Asks the tools themselves. */
async function factsByName(exports) {
  const whole = { ...shared, splitting: false, sourcemap: false, write: false };
  const contents = [...exports, "export { factsOf } from '../contract/lazy-tool.js';"].join('\n');
  const { outputFiles } = await build({ ...whole, stdin: { contents, resolveDir: 'src/tools' } });
  const file = resolve(out, `.tools-${process.pid}.mjs`);
  mkdirSync(out, { recursive: true });
  writeFileSync(file, outputFiles[0].contents);
  try {
    const { factsOf, ...tools } = await import(pathToFileURL(file).href);
    return Object.fromEntries(Object.entries(tools).map(([name, tool]) => [name, factsOf(tool)]));
  } finally {
    rmSync(file);
  }
}

/** The files are few: each that is loaded at the start, or for the first command, costs time of its own. */
async function buildCommandLine() {
  const parts = await build({
    ...shared,
    entryPoints: { cli: 'src/cli/main.ts' },
    chunkNames: 'chunks/cli-[name]-[hash]',
    plugins: [await lazyTools(), terminalLibrary()],
    sourcemap: 'inline',
    write: false,
  });
  const groups = [
    { name: 'cli-start', sources: ['src/cli/headless.ts', 'src/models/anthropic.ts'] }, // up to the first request
    { name: 'cli-store', sources: ['src/agent/store/session-store.ts'] }, // what every conversation is kept by
    { name: 'cli-input', sources: ['src/tools/think.ts'] }, // what the smallest tool needs, all tools do
    {
      name: 'cli-shell',
      sources: [
        'src/tools/bash/bash.ts',
        'src/platform/shell/command-effects.ts',
        'node_modules/unbash/dist/parser.js',
        'src/platform/shell/reap.ts',
      ],
    },
  ];
  return await joinParts(parts, { entry: `${out}/cli.mjs`, groups, options: shared });
}
