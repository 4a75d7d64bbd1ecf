import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const guide = readFileSync('docs/sdk.md', 'utf8');

test('every block of the SDK guide is from an example that the tests run', () => {
  const examples = readdirSync('examples')
    .filter((name) => name.endsWith('.mjs'))
    .map((name) => readFileSync(join('examples', name), 'utf8'));
  const blocks = [...guide.matchAll(/^```js\n(.*?)^```$/gms)].map(([, block = '']) => block);
  expect(blocks.length).toBeGreaterThan(8); // else the reading of blocks is broken, and the test shows nothing
  expect(blocks.filter((block) => !examples.some((text) => text.includes(block)))).toEqual([]);
});

test('the SDK guide names every entry of the package', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8'));
  const entries = Object.keys(exports).filter((path) => !path.endsWith('.json'));
  expect(entries.filter((path) => !guide.includes(`\`${path.replace('.', 'helve')}\``))).toEqual([]);
});
