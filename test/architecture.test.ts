import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { builtInTools } from '../src/tools/index.js';

// From the lowest up. An import points to a lower layer, or stays in its own top-level folder.
const layers = [
  { name: 'ground', folders: ['contract', 'platform'] },
  { name: 'parts', folders: ['tools', 'permissions', 'hooks', 'models', 'mcp'] },
  { name: 'calls', folders: ['calls'] },
  { name: 'agent', folders: ['agent', 'settings', 'plugins'] },
  { name: 'display', folders: ['display'] },
  { name: 'composition', folders: ['compose'] },
  { name: 'host', folders: ['host'] },
  { name: 'fleet', folders: ['fleet'] },
  { name: 'surfaces', folders: ['cli', 'terminal', 'acp', 'serve', 'testing', 'sdk', 'index.ts', 'web'] },
];

// Folders that may import another one of the same layer. For example, platform/ uses the types of contract/.
const allowedSiblings: Readonly<Record<string, readonly string[]>> = {
  platform: ['contract'],
  cli: ['terminal', 'acp', 'serve'],
  serve: ['acp'],
  plugins: ['settings'],
  sdk: ['testing'],
  'index.ts': ['sdk'],
};

interface Import {
  from: string;
  to: string;
}

const folderOf = (file: string): string => file.split('/')[0] ?? file;
const layerOf = (folder: string): number => layers.findIndex(({ folders }) => folders.includes(folder));

async function sourceFiles(): Promise<string[]> {
  return await Array.fromAsync(glob('**/*.{ts,tsx}', { cwd: 'src' }));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join('src', file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => ({
    from: file,
    to: normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'),
  }));
}

function importProblem({ from, to }: Import): string | undefined {
  const [fromFolder, toFolder] = [folderOf(from), folderOf(to)];
  if (fromFolder === toFolder || allowedSiblings[fromFolder]?.includes(toFolder)) return undefined;
  const [fromLayer, toLayer] = [layerOf(fromFolder), layerOf(toFolder)];
  if (toLayer < fromLayer) return undefined;
  const why =
    toLayer > fromLayer
      ? `${layers[toLayer]?.name} is above ${layers[fromLayer]?.name}`
      : `${fromFolder} and ${toFolder} are on the same layer`;
  return `src/${from} imports src/${to}, but ${why}. Pass what it needs as a parameter, or move it down.`;
}

test('every file of src belongs to a layer', async () => {
  const withoutLayer = (await sourceFiles()).filter((file) => layerOf(folderOf(file.replace('.test.ts', '.ts'))) < 0);
  expect(withoutLayer).toEqual([]);
});

test('ARCHITECTURE.md names every folder of src, and every file directly in it', async () => {
  const [, tree = ''] = /^## The tree\n+```\n(.*?)^```/ms.exec(readFileSync('ARCHITECTURE.md', 'utf8')) ?? [];
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts'));
  const folders = files.flatMap((file) => dirname(file).split('/')).filter((folder) => folder !== '.');
  const names = [...folders.map((folder) => `${folder}/`), ...files.filter((file) => !file.includes('/'))];
  expect([...new Set(names)].filter((name) => !tree.includes(` ${name}`))).toEqual([]);
});

test('imports point down', async () => {
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts'));
  const imports = files.flatMap(importsOf);
  expect(imports.length).toBeGreaterThan(50); // else the reading of imports is broken, and the test shows nothing
  expect(imports.map(importProblem).filter((problem) => problem !== undefined)).toEqual([]);
});

const isComponent = (file: string): boolean => file.startsWith('agent/components/') && !file.endsWith('.test.ts');

test('a component imports no other component', async () => {
  const components = (await sourceFiles()).filter(isComponent);
  expect(components.length).toBeGreaterThan(5);
  expect(components.flatMap(importsOf).filter(({ to }) => isComponent(to))).toEqual([]);
});

test('no type or interface is defined in two top-level folders under one name', async () => {
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts'));
  const definitions = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const names = text.matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm);
    return [...names].map(([, name = '']) => ({ name, file }));
  });
  expect(definitions.length).toBeGreaterThan(500);
  const doubled = [...Map.groupBy(definitions, ({ name }) => name)]
    .filter(([, places]) => new Set(places.map(({ file }) => folderOf(file))).size > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
  expect(doubled).toEqual([]);
});

// Beside contract/, display/ and platform/text/: pure modules of other folders that run in a browser.
const mayRunInBrowser: Readonly<Record<string, string>> = {
  'agent/planning/plan-question.ts': 'which question is about a plan',
  'permissions/detect-injection.ts': 'the reason of a decision in words',
  'permissions/effect-words.ts': 'effects in words',
  'permissions/risks/place-words.ts': 'paths in words',
  'permissions/risks/write-within.ts': 'which effects are named once',
  'platform/crypto.ts': 'imported for hashes of names, which the build leaves out',
  'platform/is-object.ts': 'one test',
  'settings/covered-item.ts': 'settings in words',
};

/** What a file imports and runs: imports of types alone are left out. */
function runs(file: string): string[] {
  const text = readFileSync(join('src', file), 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  const imports = text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm);
  return [...imports].map(([, one = '', other = '']) => one || other);
}

test('the web view and what it shares with the terminal run in a browser', async () => {
  const all = new Set(await sourceFiles());
  const reached = new Set<string>();
  const packages = new Set<string>();
  const walk = (file: string): void => {
    if (reached.has(file)) return;
    reached.add(file);
    for (const specifier of runs(file).filter((each) => !each.endsWith('.css'))) {
      const path = normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts');
      if (!specifier.startsWith('.')) packages.add(specifier);
      else walk(all.has(path) ? path : `${path}x`);
    }
  };
  for (const file of all) if (/^(?:web|display)\//.test(file) && !file.includes('.test.')) walk(file);
  expect([...packages].sort()).toEqual(['@preact/signals', 'marked', 'preact', 'preact/hooks']);
  const others = [...reached].filter((file) => !/^(?:web|display|contract|platform\/text)\//.test(file));
  expect(others.sort()).toEqual(Object.keys(mayRunInBrowser));
});

test('reports an import that points up or sideways in a sentence', () => {
  expect(importProblem({ from: 'tools/read.ts', to: 'agent/loop.ts' })).toBe(
    'src/tools/read.ts imports src/agent/loop.ts, but agent is above parts. Pass what it needs as a parameter, or move it down.',
  );
  expect(importProblem({ from: 'models/wire/anthropic/anthropic.ts', to: 'tools/read.ts' })).toContain(
    'on the same layer',
  );
  expect(importProblem({ from: 'platform/files/paths.ts', to: 'contract/effect.ts' })).toBeUndefined();
  expect(importProblem({ from: 'contract/effect.ts', to: 'platform/files/paths.ts' })).toContain('on the same layer');
});

// Files outside of tools/ that may hold names of tools, each with the reason.
const mayNameTools: Readonly<Record<string, string>> = {
  'agent/children/agent-types.ts': 'data: which tools each built-in type of agent has',
  'cli/demo/script.ts': 'data: the calls that the demo plays',
  'platform/shell/core-language.ts': '"Glob" is a node of the syntax tree of a shell command',
  'platform/shell/expand-word.ts': 'the same',
};

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/^\s*\/\/.*$|\s\/\/ .*$/gm, '');

/** A name in quotes, alone or in a list with commas, or as the key of an object. */
function namesTool(source: string): boolean {
  const names = builtInTools()
    .map(({ name }) => name)
    .join('|');
  const quoted = `(['"\`])(?:\\w+, ?)*(?:${names})(?:, ?\\w+)*\\1`;
  const key = `(?:^|[{,])\\s*(?:${names})\\s*:`;
  return new RegExp(`${quoted}|${key}`, 'm').test(withoutComments(source));
}

test('names of tools are in tools/ alone: everything else uses their traits', async () => {
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts') && folderOf(file) !== 'tools');
  const named = files.filter((file) => namesTool(readFileSync(join('src', file), 'utf8')));
  expect(named.toSorted()).toEqual(Object.keys(mayNameTools).toSorted());
});

test.each([
  ["if (tool === 'Bash') return;", true],
  ['const names = ["Read", "Glob"];', true],
  ['const tools = `Grep`;', true],
  ["tools: names('HelveDocs, Read, LS'),", true],
  ['const switches = { Task: false };', true],
  ['  WebFetch: ["url"],', true],
  ['// as Bash does', false],
  ["/** One of 'Read' and 'Edit'. */", false],
  ["throw new TypeError('Read the file first, then change it.');", false],
  ['const isRead = toRead(name);', false],
])('%s names a tool: %s', (source, expected) => {
  expect(namesTool(source)).toBe(expected);
});

test('names of MCP tools are put together and taken apart in one place', async () => {
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts'));
  const handled = files.filter((file) =>
    /(['"`])mcp__\1|`mcp__\$\{|\^mcp__|split\((['"`])__\2\)/.test(
      withoutComments(readFileSync(join('src', file), 'utf8')),
    ),
  );
  expect(handled).toEqual(['platform/text/mcp-names.ts']);
});

/** Node's own way retries forever where the system takes no folders, and holds the process. */
test('private folders are made by mkdirPrivate', async () => {
  const files = await sourceFiles();
  const others = files.filter((file) =>
    /mkdir(?:Sync)?\([^;]*recursive: true, mode: 0o700/.test(withoutComments(readFileSync(join('src', file), 'utf8'))),
  );
  expect(others.filter((file) => !file.endsWith('.test.ts'))).toEqual([]);
});
