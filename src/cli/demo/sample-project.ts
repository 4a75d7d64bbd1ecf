/** A small shop's prices, with a test for a feature that the code lacks. */
export const sampleProject: Readonly<Record<string, string>> = {
  'package.json': `{
  "name": "corner-shop",
  "private": true,
  "type": "module",
  "scripts": { "test": "node --test" }
}
`,
  'README.md': `# Corner shop

Computes what a basket costs. Run the tests with \`node --test\`.
`,
  'dist/shop.js': `// Built from src/ before the discount.
export const lineTotal = (price, quantity) => price * quantity;
export const basketTotal = (lines) => lines.reduce((sum, line) => sum + lineTotal(line.price, line.quantity), 0);
`,
  'src/price.js': `// Prices are in cents.
export function lineTotal(price, quantity) {
  return price * quantity;
}
`,
  'src/basket.js': `import { lineTotal } from './price.js';

export function basketTotal(lines) {
  return lines.reduce((sum, line) => sum + lineTotal(line.price, line.quantity), 0);
}
`,
  'test/price.test.js': `import assert from 'node:assert/strict';
import test from 'node:test';
import { basketTotal } from '../src/basket.js';
import { lineTotal } from '../src/price.js';

test('a few items cost their price', () => {
  assert.equal(lineTotal(250, 3), 750);
});

test('ten or more items are 10 % cheaper', () => {
  assert.equal(lineTotal(100, 10), 900);
  assert.equal(lineTotal(100, 20), 1800);
});

test('a basket is the sum of its lines', () => {
  assert.equal(basketTotal([{ price: 100, quantity: 2 }, { price: 250, quantity: 1 }]), 450);
});
`,
};
