// Finds the lines of a failed command's output that say what failed: the names of failing tests, and errors of
// compilers and linters, as the common ones write them.

const FOLLOWING = 14; // lines after a failure in which its details are looked for
const DETAILS = 5; // of one failure
const MAX_CHARS = 400_000;
const MAX_LINE = 1_000; // a longer line is data

/** Lines that name a failure. */
const failures: readonly RegExp[] = [
  /^\s*✖ (?!failing tests:)(?!\d+ problems?\b).*\S/, // node:test
  /^\s*not ok \d+ - /, // TAP
  /^\s*FAIL\s{1,2}\S.*(?:>|::)/, // vitest
  /^\s*[×✗✕] \S/, // vitest, jest, mocha
  /^\s*● .+ › /, // jest
  /^(?:FAILED|ERROR) \S+(?:::| - )/, // pytest
  /^\s*--- FAIL: /, // go test
  /^panic: /, // go
  /^test .+ \.\.\. FAILED/, // cargo test
  /^thread '.*' panicked at /, // rust
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
  /^(?:fatal|error): /i, // git
  /^npm (?:ERR!|error) (?!A complete log|\s*$)/, // npm
];

/** Lines that explain the failure above them. */
const details: readonly RegExp[] = [
  /^\s*(?:\w*Error|\w*Exception)\b.*:/,
  /^\s*(?:error|message|cause):? ['"]?[^\s|>]/i,
  /^thread '.*' panicked at /,
  /^\s*(?:[-+]\s*)?(?:expected|received|actual|got|want|left|right)\b.*[:=]\s*\S/i,
  /^\s*Expected\b.*, (?:got|received)\b/i,
  /^\s*expected .+, got /i,
  /^E\s+\S/, // pytest
  /^\s+\w+_test\.go:\d+: /,
  /^assertion .*failed/,
  /^\s*-->\s+\S+:\d+/, // rustc
];

/** The indices of the lines to show, in order, at most this many. Empty if no line is known to say what failed. */
export function tellingLines(output: string, most: number): number[] {
  const lines = output.slice(0, MAX_CHARS).split('\n');
  const seen = new Set<string>();
  const chosen: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (chosen.length >= most) break;
    if (line.length > MAX_LINE || !failures.some((pattern) => pattern.test(line)) || (chosen.at(-1) ?? -1) >= index)
      continue;
    const name = nameOf(line);
    if (seen.has(name)) {
      // The same failure again, in a summary: what it adds are its details.
      chosen.push(...detailsBelow(lines, index, seen).slice(0, most - chosen.length));
      continue;
    }
    seen.add(name);
    chosen.push(index);
    chosen.push(...detailsBelow(lines, index, seen).slice(0, most - chosen.length));
  }
  return chosen.sort((one, other) => one - other);
}

function detailsBelow(lines: readonly string[], start: number, seen: Set<string>): number[] {
  const found: number[] = [];
  const end = Math.min(lines.length, start + 1 + FOLLOWING);
  for (let index = start + 1; index < end && found.length < DETAILS; index += 1) {
    const line = lines[index] ?? '';
    if (line.length > MAX_LINE) continue;
    if (failures.slice(0, 8).some((pattern) => pattern.test(line))) break; // the next failing test
    if (!details.some((pattern) => pattern.test(line)) || seen.has(nameOf(line))) continue;
    seen.add(nameOf(line));
    found.push(index);
  }
  return found;
}

/** A line without signs and durations, which differ where a runner repeats it. */
const nameOf = (line: string): string =>
  line
    .replace(/\(?\d{1,9}(?:\.\d{1,9})? ?m?s\)?/g, '')
    .replace(/^[\s✖×✗✕●]+/, '')
    .trim();
