// Finds the lines in the output of a command that sum up a run of tests, as the common runners write them, and the lines
// that package managers print before a script begins.

const MAX_CHARS = 400_000; // from the end, where the sum is

/** Counts of tests. A count of zero says nothing, but for those of all tests. */
const SUMS: readonly RegExp[] = [
  /^(?:ℹ|#) (?:tests|pass) \d+$/, // node:test
  /^(?:ℹ|#) (?:fail|cancelled|skipped|todo) [1-9]\d*$/,
  /^ *(?:Test Files|Tests) {2}\d+ /, // vitest
  /^ *Type Errors {2}[1-9]/,
  /^(?:Test Suites|Tests): +\d+ /, // jest
  /^ {2}\d+ passing \(/, // mocha
  /^ {2}[1-9]\d* (?:pending|failing)$/,
  /^ {2}\d+ (?:passed|skipped|flaky|did not run)(?: \(|$)/, // playwright
  /^ {2}\d+ (?:tests?|known failures?|tests? skipped) ?(?:passed)?$/, // ava
  /^(?:=+ )?(?:\d+ \w+, )*\d+ passed\b.* in \d/, // pytest
  /^Ran \d+ tests? in /, // unittest
  /^test result: ok\. [1-9]/, // cargo
  /^ *Summary \[.*\] \d+ tests? run: /, // cargo nextest
  /^ok {2}\t?\S+\s+(?:\d+\.\d+s|\(cached\))/, // go
  /^ *\d+ pass$/, // bun
  /^ *[1-9]\d* (?:fail|skip)$/,
  /^ok \| \d+ passed /, // deno
  /^OK \(\d+ tests?, /, // phpunit
  /^\d+ examples?, \d+ failures?/, // rspec
  /^(?:Passed|Failed)! +- Failed: +\d+, Passed: /, // dotnet
  /^(?:\[INFO\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$/, // maven
  /^\d+% tests passed, \d+ tests failed out of \d+/, // ctest
];

/** The indices of the lines that sum up a run of tests: the last ones, in order. Empty if there are none. */
export function summaryLines(output: string, most: number): number[] {
  const start = output.length > MAX_CHARS ? output.indexOf('\n', output.length - MAX_CHARS) + 1 : 0;
  const before = start === 0 ? 0 : output.slice(0, start).split('\n').length - 1;
  const lines = output.slice(start).split('\n');
  const found = lines.flatMap((line, index) => (SUMS.some((pattern) => pattern.test(line)) ? [before + index] : []));
  return found.slice(-most);
}

/** What npm, pnpm and yarn print before a script, and TAP before its tests. */
const BANNER =
  /^\s*$|^> \S|^npm (?:warn|notice) |^yarn run v\d|^warning package\.json: |^\$ \S|^TAP version \d+$|^\s*# Subtest: /;

/** How many lines at the start say nothing of what the command did; 0 if all are like that. */
export function bannerLines(output: string): number {
  let count = 0;
  for (let at = 0; at < output.length; count += 1) {
    const end = output.indexOf('\n', at);
    if (!BANNER.test(output.slice(at, end === -1 ? undefined : end))) return count;
    if (end === -1) return 0;
    at = end + 1;
  }
  return 0;
}
