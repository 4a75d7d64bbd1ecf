// The scenarios about OAuth of the official conformance suites. docs/mcp.md has the counts.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runSuite, runNextSuite, withNextSuite, withSuite } from './official-suite.js';

const command = ['--command', `"${process.execPath}" "${resolve('test/fixtures/mcp/auth-suite-client.mjs')}"`];
const patient = ['--timeout', '120000']; // the suite starts all scenarios at once

for (const part of ['auth', 'backcompat', 'draft']) {
  withSuite(`the client passes every scenario in the part "${part}" of the conformance suite`, async () => {
    expect(await runSuite('client', [...command, ...patient, '--suite', part])).toMatchObject({ code: 0 });
  });
}

/** Extensions that Helve does not have; docs/mcp.md says why. */
const otherExtensions = ['auth/cross-app-access-complete-flow'];

withSuite('in the part "extensions" of the suite the client passes what programs need', async () => {
  const flags = [...command, ...patient, '--suite', 'extensions'];
  expect(await runSuite('client', flags, otherExtensions)).toMatchObject({ code: 0 });
});

const revisions: ReadonlyArray<[revision: string, scenarios: number]> = [
  ['2025-11-25', 14],
  ['2026-07-28', 25],
];

for (const [revision, scenarios] of revisions) {
  withNextSuite(
    `the client passes every scenario about OAuth that revision ${revision} requires`,
    async () => {
      const { output } = await runNextSuite('client', [...command, ...patient, '--requirements', revision]);
      const [scored = ''] = output.split('Not scored for');
      const optional = /^ {2}[✓✗] (auth\/\S+)/gm;
      const unscored = new Set([...output.slice(scored.length).matchAll(optional)].map(([, name]) => name));
      const results = [...scored.matchAll(/^([✓✗]) (auth\/\S+): \d+ passed, (\d+) failed/gm)].filter(
        ([, , name]) => !unscored.has(name),
      );
      expect(results.filter(([, mark]) => mark !== '✓').map(([line]) => line)).toEqual([]);
      expect(results.length).toBe(scenarios);
      for (const name of ['auth/client-credentials-jwt', 'auth/client-credentials-basic']) {
        expect(output).toContain(`  ✓ ${name} (extension)`);
      }
    },
    300_000,
  );
}

test('the docs name each extension that the client does not have', async () => {
  const page = await readFile('docs/mcp.md', 'utf8');
  const names = [...otherExtensions, 'auth/enterprise-managed-authorization', 'auth/dpop', 'auth/dpop-nonce'];
  expect([...names, 'auth/wif-jwt-bearer'].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});
