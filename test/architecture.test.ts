import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';
import { builtInTools } from '../src/tools/index.js';

// From the ground up. An import may point to a lower floor, or stay in its own room; parts never look at each other.
const floors = [
  { name: 'ground', rooms: ['contract', 'platform'] },
  { name: 'parts', rooms: ['tools', 'permissions', 'hooks', 'models', 'mcp'] },
  { name: 'calls', rooms: ['calls'] },
  { name: 'agent', rooms: ['agent', 'settings'] },
  { name: 'composition', rooms: ['compose'] },
  { name: 'surfaces', rooms: ['cli', 'terminal', 'testing', 'sdk', 'index.ts'] },
];

// Rooms of one floor that may import another one of it: the machine speaks in the contract's types.
const neighbours: Readonly<Record<string, readonly string[]>> = {
  platform: ['contract'],
  cli: ['terminal'],
  sdk: ['testing'],
  'index.ts': ['sdk'],
};

interface Import {
  from: string;
  to: string;
}

const roomOf = (file: string): string => file.split('/')[0] ?? file;
const floorOf = (room: string): number => floors.findIndex(({ rooms }) => rooms.includes(room));

async function sourceFiles(): Promise<string[]> {
  return await Array.fromAsync(glob('**/*.ts', { cwd: 'src' }));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join('src', file), 'utf8');
  const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)].map(([, specifier = '']) => specifier);
  return specifiers.map((specifier) => ({
    from: file,
    to: normalize(join(dirname(file), specifier)).replace(/\.js$/, '.ts'),
  }));
}

function complaintAbout({ from, to }: Import): string | undefined {
  const [fromRoom, toRoom] = [roomOf(from), roomOf(to)];
  if (fromRoom === toRoom || neighbours[fromRoom]?.includes(toRoom)) return undefined;
  const [fromFloor, toFloor] = [floorOf(fromRoom), floorOf(toRoom)];
  if (toFloor < fromFloor) return undefined;
  const why =
    toFloor > fromFloor
      ? `${floors[toFloor]?.name} stands above ${floors[fromFloor]?.name}`
      : `${fromRoom} and ${toRoom} are siblings that do not know each other`;
  return `src/${from} imports src/${to}, but ${why}. Hand in what it needs as a parameter, or move it down.`;
}

test('every file of src is in a room of the house', async () => {
  const homeless = (await sourceFiles()).filter((file) => floorOf(roomOf(file.replace('.test.ts', '.ts'))) < 0);
  expect(homeless).toEqual([]);
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
  expect(imports.map(complaintAbout).filter((complaint) => complaint !== undefined)).toEqual([]);
});

const isComponent = (file: string): boolean => file.startsWith('agent/components/') && !file.endsWith('.test.ts');

test('a component imports no other component', async () => {
  const components = (await sourceFiles()).filter(isComponent);
  expect(components.length).toBeGreaterThan(5);
  expect(components.flatMap(importsOf).filter(({ to }) => isComponent(to))).toEqual([]);
});

test('no type or interface is defined in two rooms under one name', async () => {
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts'));
  const definitions = files.flatMap((file) => {
    const text = readFileSync(join('src', file), 'utf8');
    const names = text.matchAll(/^export (?:declare )?(?:type|interface) (\w+)/gm);
    return [...names].map(([, name = '']) => ({ name, file }));
  });
  expect(definitions.length).toBeGreaterThan(500);
  const doubled = [...Map.groupBy(definitions, ({ name }) => name)]
    .filter(([, places]) => new Set(places.map(({ file }) => roomOf(file))).size > 1)
    .map(([name, places]) => `${name}: ${places.map(({ file }) => file).join(', ')}`);
  expect(doubled).toEqual([]);
});

test('reports an import that points up or sideways in a sentence', () => {
  expect(complaintAbout({ from: 'tools/read.ts', to: 'agent/loop.ts' })).toBe(
    'src/tools/read.ts imports src/agent/loop.ts, but agent stands above parts. Hand in what it needs as a parameter, or move it down.',
  );
  expect(complaintAbout({ from: 'models/wire/anthropic/anthropic.ts', to: 'tools/read.ts' })).toContain('siblings');
  expect(complaintAbout({ from: 'platform/files/paths.ts', to: 'contract/effect.ts' })).toBeUndefined();
  expect(complaintAbout({ from: 'contract/effect.ts', to: 'platform/files/paths.ts' })).toContain('siblings');
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
  const files = (await sourceFiles()).filter((file) => !file.endsWith('.test.ts') && roomOf(file) !== 'tools');
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
