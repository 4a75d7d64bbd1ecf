// Prints the closing line of a CI run from Vitest's report, and passes its exit status on.
import { readFileSync } from 'node:fs';

const status = Number(process.argv[2]);
let counts = { passed: 0, failed: 0, skipped: 0 };
try {
  const report = JSON.parse(readFileSync('node_modules/.cache/test-results.json', 'utf8'));
  counts = {
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  };
  for (const { assertionResults } of report.testResults) {
    for (const { status: outcome, fullName, failureMessages } of assertionResults) {
      if (outcome !== 'passed' || failureMessages.length === 0) continue;
      console.log(`Passed at the second try only: ${fullName}: ${failureMessages[0].split('\n')[0]}`);
    }
  }
} catch {
  console.log('No test report was written: a step before the tests failed, see above.');
}
if (status !== 0 && counts.failed === 0) counts.failed = 1; // a failed check is a failure, whatever the tests say
console.log(`${counts.passed} passed, ${counts.failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ''}`);
process.exitCode = status;
