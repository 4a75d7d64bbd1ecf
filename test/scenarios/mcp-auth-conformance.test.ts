// The scenarios about OAuth of the official conformance suites. docs/mcp.md has the counts.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import {
  requiredOfClients,
  runNextSuite,
  runSuite,
  scenariosOfRun,
  withNextSuite,
  withSuite,
} from './official-suite.js';

const command = ['--command', `"${process.execPath}" "${resolve('test/fixtures/mcp/auth-suite-client.mjs')}"`];
const AT_ONCE = 3; // the suite would start all of them at once
const WITHIN_MS = 300_000;

/** The output of each scenario that fails. */
async function failures(
  scenarios: readonly string[],
  run: (scenario: string) => Promise<{ code: unknown; output: string }>,
): Promise<string[]> {
  const left = [...scenarios];
  const failed: string[] = [];
  const worker = async (): Promise<void> => {
    for (let scenario = left.shift(); scenario !== undefined; scenario = left.shift()) {
      const { code, output } = await run(scenario);
      if (code !== 0) failed.push(`${scenario}\n${output}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failed;
}

const ofBoth = ['auth/client-credentials-jwt', 'auth/client-credentials-basic'];

/** The scenarios of revision 2025-11-25 that an earlier version of the suite has, and more that it has alone. */
const olderScenarios = [
  ...['auth/metadata-default', 'auth/metadata-var1', 'auth/metadata-var2', 'auth/metadata-var3', 'auth/basic-cimd'],
  ...['auth/scope-from-www-authenticate', 'auth/scope-from-scopes-supported', 'auth/scope-omitted-when-undefined'],
  ...['auth/scope-step-up', 'auth/scope-retry-limit', 'auth/token-endpoint-auth-basic'],
  ...['auth/token-endpoint-auth-post', 'auth/token-endpoint-auth-none', 'auth/pre-registration'],
  ...['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  ...['auth/resource-mismatch', 'auth/offline-access-scope', 'auth/offline-access-not-supported'],
];

withSuite(
  'the client passes every scenario about OAuth of the conformance suite',
  async () => {
    const run = (name: string) => runSuite('client', [...command, '--scenario', name]);
    expect(await failures(scenariosOfRun([...olderScenarios, ...ofBoth], 1 / 10), run)).toEqual([]);
  },
  WITHIN_MS,
);

const newest = '2026-07-28';
const revisions: ReadonlyArray<[revision: string, scenarios: number, share: number]> = [
  ['2025-11-25', 14, 1 / 10],
  [newest, 25, 1 / 3],
];

for (const [revision, count, share] of revisions) {
  withNextSuite(
    `the client passes every scenario about OAuth that revision ${revision} requires`,
    async () => {
      const required = (await requiredOfClients(revision)).filter((name) => name.startsWith('auth/'));
      expect(required.length).toBe(count);
      const flags = ['--spec-version', revision];
      const extensions = revision === newest ? ofBoth : []; // they belong to no revision
      const run = (name: string) =>
        runNextSuite('client', [...command, ...(extensions.includes(name) ? [] : flags), '--scenario', name]);
      expect(await failures(scenariosOfRun([...required, ...extensions], share), run)).toEqual([]);
    },
    WITHIN_MS,
  );
}

test('the docs name each extension that the client does not have', async () => {
  const page = await readFile('docs/mcp.md', 'utf8');
  const missing = ['cross-app-access-complete-flow', 'enterprise-managed-authorization', 'wif-jwt-bearer', 'dpop'];
  expect(missing.filter((name) => !page.includes(`\`auth/${name}\``))).toEqual([]);
});
