// What a program pays for an import, before it has used anything of it.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** In bytes of code that is loaded at once, and modules in it. Raise one only where what it buys is worth it to everybody. */
const budgets = [
  { entry: 'index', bytes: 628_000, modules: 254 },
  { entry: 'tools', bytes: 60_000, modules: 14 },
  { entry: 'models', bytes: 425_000, modules: 83 },
  { entry: 'mcp', bytes: 6_000, modules: 2 },
  { entry: 'testing', bytes: 614_000, modules: 243 },
];

const heavy = ['zod', 'ajv', '@modelcontextprotocol', 'unbash', 'linkedom', 'unpdf', 'yaml', '@earendil-works'];
/** A script for a model is checked by a schema at once. */
const known: Readonly<Record<string, readonly string[]>> = { models: ['zod'] };

test.each(budgets)('the entry $entry loads no more than its budget', ({ entry, bytes, modules }) => {
  const loaded = loadedBy(`dist/${entry}.mjs`);
  expect(loaded.bytes).toBeLessThanOrEqual(bytes);
  expect(loaded.modules.length).toBeLessThanOrEqual(modules);
  const brought = heavy.filter((name) => loaded.modules.some((path) => path.includes(`node_modules/${name}/`)));
  expect(brought).toEqual(known[entry] ?? []);
});

test('every entry has a budget', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const entries = Object.values<{ default?: string }>(exports).flatMap(({ default: file }) => file ?? []);
  expect(entries).toEqual(budgets.map(({ entry }) => `./dist/${entry}.mjs`));
  expect(entries.filter((file) => !existsSync(file))).toEqual([]);
});

/** By the imports that are not asked for later. The bundler names each module before its code. */
function loadedBy(entry: string): { bytes: number; modules: string[] } {
  const texts = new Map<string, string>();
  const follow = (path: string): void => {
    if (texts.has(path)) return;
    const text = readFileSync(path, 'utf8');
    texts.set(path, text);
    for (const [, target = ''] of text.matchAll(/^(?:import|export)\s[^;]*?"(\.[^"]+)";/gm)) {
      follow(join(dirname(path), target));
    }
  };
  follow(entry);
  const all = [...texts.values()];
  const modules = new Set(
    all.flatMap((text) => [...text.matchAll(/^\/\/ (\S+\.[cm]?[jt]s)$/gm)].map(([, path]) => path)),
  );
  return {
    bytes: all.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
    modules: [...modules].filter((path) => path !== undefined),
  };
}
