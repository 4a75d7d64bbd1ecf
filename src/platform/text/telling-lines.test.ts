import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tellingLines } from './telling-lines.js';

const shown = (output: string, most = 8): string[] => {
  const lines = output.split('\n');
  return tellingLines(output, most).map((index) => (lines[index] ?? '').trim());
};

test('the failing test of node:test, with what was expected', () => {
  const output = `✔ adds up a basket (0.9ms)
✖ a discount leaves whole cents (1.2ms)
ℹ tests 2
ℹ pass 1
ℹ fail 1
ℹ duration_ms 63.1

✖ failing tests:

test at test/total.test.js:9:1
✖ a discount leaves whole cents (1.2ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  1005 !== 905

      at TestContext.<anonymous> (file:///p/test/total.test.js:10:10)
    generatedMessage: true,
    code: 'ERR_ASSERTION',
    actual: 1005,
    expected: 905,
    operator: 'strictEqual',
    diff: 'simple'
  }`;
  expect(shown(output)).toEqual([
    '✖ a discount leaves whole cents (1.2ms)',
    'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
    'actual: 1005,',
    'expected: 905,',
  ]);
});

test('the failing test of TAP', () => {
  const output = `TAP version 13
ok 1 - adds up
not ok 2 - a discount leaves whole cents
  ---
  error: |-
  expected: 905
  actual: 1005
  ...
1..2`;
  expect(shown(output)).toEqual(['not ok 2 - a discount leaves whole cents', 'expected: 905', 'actual: 1005']);
});

test('the failing test of vitest and jest', () => {
  expect(
    shown(` ❯ src/a.test.ts (2 tests | 1 failed) 5ms
   × adds 3ms
     → expected 3 to be 4
 FAIL  src/a.test.ts > adds
AssertionError: expected 3 to be 4 // Object.is equality
 ❯ src/a.test.ts:5:17`),
  ).toEqual(['FAIL  src/a.test.ts > adds', 'AssertionError: expected 3 to be 4 // Object.is equality']);
  expect(
    shown(`FAIL src/a.test.js
  ● sum › adds
    expect(received).toBe(expected) // Object.is equality
    Expected: 4
    Received: 3`),
  ).toEqual(['● sum › adds', 'Expected: 4', 'Received: 3']);
});

test('the failing test of pytest', () => {
  const output = `tests/test_a.py F                                     [100%]
=================================== FAILURES ===================================
    def test_total():
>       assert total() == 905
E       assert 1005 == 905
E        +  where 1005 = total()
tests/test_a.py:5: AssertionError
=========================== short test summary info ============================
FAILED tests/test_a.py::test_total - assert 1005 == 905
============================== 1 failed in 0.02s ===============================`;
  expect(shown(output)).toEqual(['FAILED tests/test_a.py::test_total - assert 1005 == 905']);
});

test('the failing test of go and cargo', () => {
  expect(
    shown(`=== RUN   TestTotal
--- FAIL: TestTotal (0.00s)
    total_test.go:9: got 1005, want 905
FAIL
FAIL	example.com/tally	0.002s`),
  ).toEqual(['--- FAIL: TestTotal (0.00s)', 'total_test.go:9: got 1005, want 905']);
  expect(
    shown(`running 2 tests
test tests::adds ... ok
test tests::rounds ... FAILED

failures:

---- tests::rounds stdout ----
thread 'tests::rounds' panicked at src/lib.rs:14:9:
assertion \`left == right\` failed
  left: 1005
 right: 905

test result: FAILED. 1 passed; 1 failed; 0 ignored`),
  ).toEqual([
    "thread 'tests::rounds' panicked at src/lib.rs:14:9:",
    'assertion `left == right` failed',
    'left: 1005',
    'right: 905',
  ]);
});

test.each([
  ['tsc', 'src/a.ts(3,5): error TS2322: Type A is not B.'],
  ['tsc with colours off', 'src/a.ts:3:5 - error TS2322: Type A is not B.'],
  ['gcc', "a.c:3:5: error: expected ';' before 'return'"],
  ['rustc', 'error[E0382]: borrow of moved value: `x`'],
  ['make', 'make: *** [Makefile:2: all] Error 1'],
  ['python', "ValueError: invalid literal for int() with base 10: 'x'"],
  ['node', 'TypeError: Cannot read properties of undefined'],
  ['bash', 'bash: line 1: nmp: command not found'],
  ['git', 'fatal: not a git repository'],
  ['eslint', "3:5  error  'x' is not defined  no-undef"],
])('the error of %s', (_, line) => {
  const indented = line.startsWith('3:5') ? `  ${line}` : line;
  expect(shown(`Some words before.\n${indented}\nDone in 1.2s.`)).toEqual([line]);
});

test('no line if nothing is known, and never more than asked for', () => {
  expect(shown('one\ntwo\nthree')).toEqual([]);
  expect(shown(Array.from({ length: 50 }, (_, index) => `not ok ${index} - test ${index}`).join('\n'), 5)).toHaveLength(
    5,
  );
});

const recorded = (name: string): string =>
  readFileSync(new URL(`../../../test/fixtures/test-runs/${name}.txt`, import.meta.url), 'utf8');

test.each([
  [
    'node-spec',
    [
      '✖ a discount leaves whole cents (1.35759ms)',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:',
      'actual: 1000,',
      'expected: 905,',
      '✖ keeps the order of a long list of items (1.578728ms)',
      'AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:',
      '✖ with a message (0.229319ms)',
      'AssertionError [ERR_ASSERTION]: the basket is empty',
    ],
  ],
  [
    'node-tap',
    [
      'not ok 2 - a discount leaves whole cents',
      'Expected values to be strictly equal:',
      'expected: 905',
      'actual: 1000',
      'not ok 1 - keeps the order of a long list of items',
      'Expected values to be strictly deep-equal:',
      'not ok 2 - with a message',
      "error: 'the basket is empty'",
    ],
  ],
  [
    'vitest',
    [
      'FAIL  src/total.test.ts > a discount leaves whole cents',
      'AssertionError: expected 1000 to be 905 // Object.is equality',
      'FAIL  src/total.test.ts > rounding > keeps the order',
      'AssertionError: expected { a: 1, b: [ 1, 2 ] } to deeply equal { a: 1, b: [ 1, 3 ] }',
    ],
  ],
  [
    'pytest',
    [
      'FAILED test_total.py::test_total - assert 1005 == 905',
      'FAILED test_total.py::TestRounding::test_lists - assert [1, 2] == [1, 3]',
    ],
  ],
  [
    'cargo',
    [
      "thread 'tests::rounds' (30131) panicked at src/lib.rs:8:19:",
      'assertion `left == right` failed',
      'left: 1005',
      'right: 905',
      "thread 'tests::discounts' (30130) panicked at src/lib.rs:10:22:",
      'the discount is missing',
    ],
  ],
  [
    'go',
    [
      'total_test.go:9: got 1005, want 905',
      '--- FAIL: TestTotal (0.00s)',
      'total_test.go:15:',
      'Error:      \tNot equal:',
      'expected: 905',
      'actual  : 1005',
      '--- FAIL: TestRounds (0.00s)',
      '--- FAIL: TestRounds/cents (0.00s)',
    ],
  ],
])('each failure with its message and both values, in the output of %s', (name, lines) => {
  expect(shown(recorded(name))).toEqual(lines);
});
