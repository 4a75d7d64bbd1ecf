// Bundles the command line and the library entry points into dist/, split into chunks that load when they are needed.
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import manifest from '../package.json' with { type: 'json' };
import { buildWeb } from './build-web.mjs';
import { featureGates } from './feature-gates.mjs';
import { joinParts } from './join-parts.mjs';
import { thirdPartyNotices } from './third-party-notices.mjs';

// Another folder of the project, for a build that is only inspected.
const out = process.env.HELVE_BUILD_FOLDER ?? 'dist';
const started = performance.now();
if (process.argv.includes('--announce') && process.stdout.isTTY)
  console.log('Building Helve; this takes some seconds…');
const shared = {
  outdir: out,
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  // The extension tells Node the module format, without a search for the package.json above each file.
  outExtension: { '.js': '.mjs' },
  // Removes branches of features whose gate is off. Names and lines stay.
  minifySyntax: true,
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  // Finds its platform's binary relative to its own folder, so it can't be moved into a bundle.
  external: ['@vscode/ripgrep'],
  // Their other builds load parts in ways that no bundler can follow, or have no named exports.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js', yaml: resolve('node_modules/yaml/browser/index.js') },
  define: { HELVE_VERSION: JSON.stringify(manifest.version), ...featureGates() },
  logLevel: 'warning',
};
const facts = await toolFacts();
// Built apart from the library: shared code would be split into many small chunks, and each costs time at the start.
const [commandLine, library, web] = await Promise.all([
  buildCommandLine(),
  build({
    ...shared,
    entryPoints: {
      index: 'src/index.ts',
      tools: 'src/sdk/tools.ts',
      models: 'src/sdk/models.ts',
      mcp: 'src/sdk/mcp.ts',
      testing: 'src/sdk/testing.ts',
    },
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [facts, pureSources()],
  }),
  buildWeb(join(out, 'web')),
]);
const notices = 'THIRD-PARTY-NOTICES.txt';
writeFileSync(join(out, notices), thirdPartyNotices([commandLine.parts.metafile, library.metafile, web]));
// Old chunks are removed after the new ones are written, so that the command line works during a build.
const outputs = [commandLine.joined, library].flatMap(({ metafile }) => Object.keys(metafile.outputs));
const current = new Set([notices, ...outputs.map((path) => basename(path))]);
for (const folder of [out, `${out}/chunks`]) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isFile() && !current.has(entry.name)) rmSync(join(folder, entry.name), { force: true });
  }
}
if (process.stdout.isTTY) console.log(`built ${out}/ in ${Math.round(performance.now() - started)} ms`);

/** Runs src/tools/tool-facts.ts and puts the result in its place, as data: no tool is loaded before its first call. */
async function toolFacts() {
  const path = resolve('src/tools/tool-facts.ts');
  const contents = `export const toolFacts = ${JSON.stringify(await resultOf(path, 'toolFacts'))};`;
  return {
    name: 'tool-facts',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]tool-facts\.ts$/ }, (file) => (file.path === path ? { contents } : undefined));
    },
  };
}

/** The export of a source module with this name. */
async function resultOf(path, name) {
  const whole = { ...shared, splitting: false, sourcemap: false, write: false };
  const { outputFiles } = await build({ ...whole, entryPoints: [path] });
  const file = resolve(out, `.result-${randomUUID()}.mjs`);
  mkdirSync(out, { recursive: true });
  writeFileSync(file, outputFiles[0].contents);
  try {
    return (await import(pathToFileURL(file).href))[name];
  } finally {
    rmSync(file);
  }
}

/** Marks a package as free of side effects, although its package.json does not, so that unused code is left out. */
function terminalLibrary() {
  const folder = resolve('node_modules/@earendil-works/pi-tui/dist');
  return {
    name: 'terminal-library',
    setup({ onResolve, onLoad }) {
      onLoad({ filter: /pi-tui[\\/]dist[\\/]utils\.js$/ }, ({ path }) => ({
        contents: withLateEmoji(readFileSync(path, 'utf8')),
        loader: 'js',
      }));
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

/** Compiling the pattern of all emoji takes 15 ms, a seventh of the time until the first frame, so it is done on first use. */
function withLateEmoji(source) {
  const early = 'const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;';
  if (!source.includes(early)) throw new Error('The pattern of emoji in the terminal library is not where it was.');
  const late =
    "let readEmojiRegex; const rgiEmojiRegex = { test: (text) => (readEmojiRegex ??= new RegExp('^\\\\p{RGI_Emoji}$', 'v')).test(text) };";
  return source.replace(early, () => late);
}

/** Marks all own modules as free of side effects, since none does anything on import: unused ones are left out. */
function pureSources() {
  const folder = resolve('src');
  return {
    name: 'pure-sources',
    setup({ onResolve }) {
      onResolve({ filter: /^\.\.?\/.*\.js$/ }, ({ path, resolveDir }) =>
        resolveDir.startsWith(folder)
          ? { path: resolve(resolveDir, path.replace(/\.js$/, '.ts')), sideEffects: false }
          : undefined,
      );
    },
  };
}

/** Few files, since each file that is loaded at the start, or for the first command, costs time. */
async function buildCommandLine() {
  const parts = await build({
    ...shared,
    entryPoints: { cli: 'src/cli/main.ts' },
    chunkNames: 'chunks/cli-[name]-[hash]',
    plugins: [facts, terminalLibrary()],
    sourcemap: 'inline',
    write: false,
  });
  const groups = [
    { name: 'cli-base', sources: ['src/cli/main.ts'] }, // every command
    {
      name: 'cli-ground', // so that the first frame of the terminal does not wait for the other code that a request needs
      sources: ['src/cli/interactive.ts', 'src/terminal/start-terminal.ts'],
      sharedWith: 'src/cli/headless.ts',
    },
    { name: 'cli-start', sources: ['src/cli/headless.ts', 'src/models/wire/anthropic/anthropic.ts'] }, // up to the first request
    { name: 'cli-store', sources: ['src/agent/store/session-store.ts'] }, // stores every conversation
    // All tools need what the smallest tool needs. It is loaded while the model works on the first answer.
    // Requests are counted from the first answer on.
    {
      name: 'cli-input',
      sources: [
        'src/tools/input.ts',
        'src/tools/think.ts',
        'src/platform/journal/lock.ts',
        'src/compose/open-budget.ts',
      ],
    },
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
  return { parts, joined: await joinParts(parts, { entry: `${out}/cli.mjs`, groups, options: shared }) };
}
