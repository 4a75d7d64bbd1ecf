// The project of the pictures: prices of baskets, with a test that fails since a discount leaves parts of a cent.

const total = `export interface Item {
  name: string;
  cents: number;
  count: number;
}

/** What a basket costs, in cents. */
export function total(items: readonly Item[], discount = 0): number {
  const sum = items.reduce((all, { cents, count }) => all + cents * count, 0);
  return sum - sum * discount;
}
`;

const format = `/** 1999 as "€ 19.99". */
export function price(cents: number): string {
  return \`€ \${(cents / 100).toFixed(2)}\`;
}
`;

// Prints no durations, which would differ in each run.
const check = `let failed = 0;

export function check(name: string, actual: unknown, expected: unknown): void {
  if (actual === expected) {
    console.log(\`\\x1b[32m✓\\x1b[0m \${name}\`);
    return;
  }
  console.log(\`\\x1b[31m✗ \${name}\\x1b[0m\\n  expected \${expected}, got \${actual}\`);
  failed += 1;
}

process.on('exit', () => {
  console.log(failed === 0 ? '\\x1b[32mAll tests pass.\\x1b[0m' : \`\\x1b[31m\${failed} of 3 tests failed.\\x1b[0m\`);
  process.exitCode = failed;
});
`;

const test = `import { total } from '../src/total.ts';
import { check } from './check.ts';

const tea = { name: 'tea', cents: 999, count: 1 };

check('adds up a basket', total([tea, { ...tea, count: 2 }]), 2997);
check('an empty basket costs nothing', total([]), 0);
check('a discount leaves whole cents', total([tea], 0.15), 849);
`;

export const runTests = 'node test/total.ts';

export const tally = {
  name: 'tally',
  files: {
    'package.json': '{\n  "name": "tally",\n  "type": "module"\n}\n',
    'README.md': '# Tally\n\nWhat a basket costs.\n',
    'src/total.ts': total,
    'src/format.ts': format,
    'test/total.ts': test,
    'test/check.ts': check,
  },
};
