// Finds the lines of a failed command's output that say what failed: the names of failing tests, and errors of
// compilers and linters, as the common ones write them.

const FOLLOWING = 40; // lines after a failure, without its stack trace, in which its details are looked for
const DETAILS = 6; // of one failure
const MAX_CHARS = 400_000;
const MAX_LINE = 1_000; // a longer line is data

/** Both values of a comparison: one without the other says nothing. */
const HALF = /^\s*(?:[-+]\s*)?(?:expected|received|actual|got|want|left|right)\s*[:=]/i;

/** Lines of a stack trace, which stand between a message and the values it is about. */
const FRAME = /^\s*(?:at |async |new |\d+: )|\((?:node:|file:|\/|<anonymous>)[^()]*\)$/;

const GO_FAILURE = /^\s*--- FAIL: /;

/** Where go starts another test. */
const NEXT_TEST = /^=== (?:RUN|PAUSE|CONT)\b/;

/** The message is in the next line that is not empty: YAML in TAP, and panics of Rust. */
const MESSAGE_BELOW = /^\s*error: [|>]-?\s*$|^thread '.*' (?:\(\d+\) )?panicked at /;

/** A legend of a diff of values, whose lines follow it. */
const DIFF_LEGEND = /^\s*\+ actual - expected/;

/** Lines that name a failing test. */
const ofTests: readonly RegExp[] = [
  /^\s*✖ (?!failing tests:)(?!\d+ problems?\b).*\S/, // node:test
  /^\s*not ok \d+ - /, // TAP
  /^\s*FAIL\s{1,2}\S.*(?:>|::)/, // vitest
  /^\s*[×✗✕] \S/, // vitest, jest, mocha
  /^\s*● .+ › /, // jest
  /^(?:FAILED|ERROR) \S+(?:::| - )/, // pytest
  GO_FAILURE,
  /^panic: /, // go
  /^test .+ \.\.\. FAILED/, // cargo test
  /^thread '.*' (?:\(\d+\) )?panicked at /, // rust
];

/** Lines that name a failure. */
const failures: readonly RegExp[] = [
  ...ofTests,
  /^error(?:\[\w+\])?: (?!test failed|could not compile|aborting due)/, // rustc, cargo
  /^\S.*?[(:]\d+[,:]\d+\)?(?: -|:) (?:fatal )?error\b/, // tsc, gcc, clang, swiftc
  /^\S+:\d+: (?:fatal )?error:? /, // javac, gcc
  /^\s+\d+:\d+\s+error\s+/, // eslint
  /^\s*\S+:\d+:\d+ (?:lint|parse|format|assist)\S*/, // biome
  /: undefined reference to /, // ld
  /^make(?:\[\d+\])?: \*\*\* /, // make
  /^(?:\w+\.)*\w*(?:Error|Exception)(?: \[\w+\])?: /, // python, node, java
  /^Exception in thread /, // java
  /^\S+: (?:line \d+: )?\S+: (?:command not found|No such file or directory|Permission denied)/, // shells
  /^(?:fatal|error): (?!test failed|could not compile|aborting due)/i, // git
  /^npm (?:ERR!|error) (?!A complete log|\s*$)/, // npm
];

/** Lines that explain the failure above them. */
const details: readonly RegExp[] = [
  /^\s*(?:\w*Error|\w*Exception)\b(?! Trace).*:/,
  /^\s*(?:error(?! trace|: test failed)|message|cause):? ['"]?[^\s|>]/i,
  DIFF_LEGEND,
  /^\s*(?:[-+]\s*)?(?:expected|received|actual|got|want|left|right)\b.*[:=]\s*\S/i,
  /^\s*Expected\b.*, (?:got|received)\b/i,
  /^\s*expected .+, got /i,
  /^E\s+\S/, // pytest
  /^\s+\w+_test\.go:\d+: /,
  /^assertion .*failed/,
  /^\s*-->\s+\S+:\d+/, // rustc
];

interface Failure {
  index: number;
  name: string;
  details: readonly number[];
}

/** The indices of the lines to show, in order, at most this many. Empty if no line is known to say what failed. */
export function tellingLines(output: string, most: number): number[] {
  const lines = output.slice(0, MAX_CHARS).split('\n');
  const all = failuresIn(lines);
  // Failures with an explanation first: a name alone, such as that of a suite, is shown if there is space.
  const ordered = [
    ...all.filter(({ details: found }) => found.length > 0),
    ...all.filter(({ details: found }) => found.length === 0),
  ];
  const chosen: number[] = [];
  for (const { index, details: found } of ordered) {
    if (chosen.length >= most) break;
    chosen.push(index, ...fitting(lines, found, most - chosen.length - 1));
  }
  return chosen.sort((one, other) => one - other);
}

/** Each failure once, at the place that explains it: runners list the names first and repeat them with the details. */
function failuresIn(lines: readonly string[]): Failure[] {
  const found = new Map<string, Failure>();
  let last = -1;
  for (const [index, line] of lines.entries()) {
    if (index <= last || line.length > MAX_LINE || !failures.some((pattern) => pattern.test(line))) continue;
    const name = nameOf(line);
    const before = found.get(name);
    if (before && before.details.length > 0) continue;
    const below = detailsBelow(lines, index);
    if (below.length === 0 && GO_FAILURE.test(line)) below.push(...detailsAbove(lines, index));
    if (before && below.length === 0) continue;
    found.set(name, { index, name, details: below });
    last = Math.max(index, below.at(-1) ?? index);
  }
  return [...found.values()];
}

function detailsBelow(lines: readonly string[], start: number): number[] {
  const found: number[] = [];
  const seen = new Set<string>();
  let left = FOLLOWING;
  let isMessage = MESSAGE_BELOW.test(lines[start] ?? '');
  let isDiff = false;
  for (let index = start + 1; index < lines.length && left > 0 && found.length < DETAILS; index += 1) {
    const line = lines[index] ?? '';
    if (line.length > MAX_LINE || line.trim() === '' || FRAME.test(line)) {
      isDiff &&= !FRAME.test(line);
      continue;
    }
    left -= 1;
    if (NEXT_TEST.test(line) || ofTests.some((pattern) => pattern.test(line))) break;
    if (MESSAGE_BELOW.test(line)) {
      isMessage = true;
      continue;
    }
    const isDetail = isMessage || (isDiff && /^\s*[-+]\s/.test(line)) || details.some((pattern) => pattern.test(line));
    isMessage = false;
    if (DIFF_LEGEND.test(line)) isDiff = true;
    if (!isDetail || seen.has(line.trim())) continue;
    seen.add(line.trim());
    found.push(index);
  }
  return found;
}

/** With `-v`, go prints what a test says before it names it. */
function detailsAbove(lines: readonly string[], end: number): number[] {
  const found: number[] = [];
  for (let index = end - 1; index >= Math.max(0, end - FOLLOWING) && found.length < DETAILS; index -= 1) {
    const line = lines[index] ?? '';
    if (NEXT_TEST.test(line) || /^\s*--- /.test(line)) break;
    if (line.length <= MAX_LINE && details.some((pattern) => pattern.test(line))) found.unshift(index);
  }
  return found;
}

/** All of them, or the message alone if they do not fit: half a comparison says nothing. */
function fitting(lines: readonly string[], found: readonly number[], room: number): readonly number[] {
  if (found.length <= room) return found;
  const [message] = found;
  return message === undefined || room < 1 || HALF.test(lines[message] ?? '') ? [] : [message];
}

/** The name of the failure, without signs, files and durations, which differ where a runner repeats it. */
const nameOf = (line: string): string =>
  line
    .replace(/^test (.+) \.\.\. FAILED.*$/, '$1')
    .replace(/^thread '(.*)' (?:\(\d+\) )?panicked at .*$/, '$1')
    .replace(/\(?\d{1,9}(?:\.\d{1,9})? ?m?s\)?/g, '')
    .replace(/^\s*FAIL\s.* > /, '')
    .replace(/^\s*● .* › /, '')
    .replace(/^[\s✖×✗✕●]+/, '')
    .trim();
