import { expect, test } from 'vitest';
import { bannerLines, summaryLines } from './summary-lines.js';

const sums = (output: string): string[] => {
  const lines = output.split('\n');
  return summaryLines(output, 4).map((index) => (lines[index] ?? '').trim());
};

const npm = '\n> shop@1.0.0 test\n> node --test\n\n';

// The outputs of the runners, shortened.
test.each([
  [
    'node:test',
    '✔ a (4.8ms)\n✔ b (0.1ms)\n﹣ c (0.05ms) # SKIP\nℹ tests 3\nℹ suites 0\nℹ pass 2\nℹ fail 0\nℹ cancelled 0\nℹ skipped 1\nℹ todo 0\nℹ duration_ms 139.4',
    ['ℹ tests 3', 'ℹ pass 2', 'ℹ skipped 1'],
  ],
  [
    'TAP',
    'TAP version 13\n# Subtest: a\nok 1 - a\n  ---\n  duration_ms: 5.0\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# skipped 0',
    ['# tests 1', '# pass 1'],
  ],
  [
    'jest',
    'PASS ./jest.test.js\n  ✓ a (6 ms)\n\nTest Suites: 1 passed, 1 total\nTests:       2 passed, 2 total\nSnapshots:   0 total\nTime:        0.481 s',
    ['Test Suites: 1 passed, 1 total', 'Tests:       2 passed, 2 total'],
  ],
  ['mocha', '\n\n  shop\n    ✔ a\n    - c\n\n\n  2 passing (2ms)\n  1 pending\n', ['2 passing (2ms)', '1 pending']],
  [
    'vitest',
    '\n RUN  v4.1.12 /p\n\n ✓ vit.test.mjs (2 tests) 2ms\n\n Test Files  1 passed (1)\n      Tests  2 passed (2)\n   Start at  18:45:05\n   Duration  321ms',
    ['Test Files  1 passed (1)', 'Tests  2 passed (2)'],
  ],
  ['ava', '\n  ✔ a\n  ─\n\n  1 test passed', ['1 test passed']],
  ['pytest -q', '..s                     [100%]\n2 passed, 1 skipped in 0.72s', ['2 passed, 1 skipped in 0.72s']],
  [
    'pytest',
    '===== test session starts =====\ncollected 3 items\n\ntest_a.py ..s [100%]\n\n===== 2 passed, 1 skipped in 1.16s =====',
    ['===== 2 passed, 1 skipped in 1.16s ====='],
  ],
  [
    'cargo test',
    'running 2 tests\ntest t::b ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n\n   Doc-tests shop\n\nrunning 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored',
    ['test result: ok. 2 passed; 0 failed; 0 ignored'],
  ],
  [
    'go test',
    'ok  \texample.com/shop\t0.003s\nok  \texample.com/shop/price\t(cached)',
    ['ok  \texample.com/shop\t0.003s', 'ok  \texample.com/shop/price\t(cached)'],
  ],
  ['no tests', 'src/a.ts\nok then\n3 tests are planned\nTests: none', []],
])('the counts of %s', (_, output, expected) => {
  expect(sums(output)).toEqual(expected);
  expect(sums(`${npm}${output}`)).toEqual(expected);
});

test.each([
  [npm, 4],
  ['\n> shop@1.0.0 test /p\n> node --test\n\n', 4], // pnpm
  ['yarn run v1.22.22\nwarning package.json: No license field\n$ node --test\n', 3],
  ['npm warn Unknown user config "x".\n\n> shop@1.0.0 test\n> node --test\n\n', 5],
  ['', 0],
])('lines of a package manager before the output: %j', (banner, count) => {
  expect(bannerLines(`${banner}✔ a\n`)).toBe(count);
  expect(bannerLines(banner)).toBe(0); // there is nothing else to show
});
