import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { requiredOfClients, runNextSuite, runSuite, withNextSuite, withSuite } from './official-suite.js';

const command = ['--command', `"${process.execPath}" "${resolve('test/fixtures/mcp/suite-client.mjs')}"`];

// One at a time: one of them looks at the clock.
for (const scenario of ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry']) {
  withSuite(`the client passes the scenario ${scenario} of the conformance suite`, async () => {
    expect(await runSuite('client', [...command, '--scenario', scenario])).toMatchObject({ code: 0 });
  });
}

/** What the suite requires of a client in each revision, but for scenarios of OAuth. */
const withoutAuth = {
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
  ],
};

for (const [revision, scenarios] of Object.entries(withoutAuth)) {
  withNextSuite(`the suite requires no other scenarios of a client for ${revision}, but for OAuth`, async () => {
    const required = await requiredOfClients(revision);
    expect(required.filter((name) => !name.startsWith('auth/'))).toEqual(scenarios);
  });
  for (const scenario of scenarios) {
    withNextSuite(`the client passes the scenario ${scenario} at ${revision}`, async () => {
      const flags = [...command, '--scenario', scenario, '--spec-version', revision];
      expect(await runNextSuite('client', flags)).toMatchObject({ code: 0 });
    });
  }
}

/** What the suite wants of a client and Helve does not have, by the suite's own parts; docs/mcp.md says why. */
const expectedFailures = {
  auth: [
    'auth/metadata-default',
    'auth/metadata-var1',
    'auth/metadata-var2',
    'auth/metadata-var3',
    'auth/basic-cimd',
    'auth/scope-from-www-authenticate',
    'auth/scope-from-scopes-supported',
    'auth/scope-omitted-when-undefined',
    'auth/scope-step-up',
    'auth/scope-retry-limit',
    'auth/token-endpoint-auth-basic',
    'auth/token-endpoint-auth-post',
    'auth/token-endpoint-auth-none',
    'auth/pre-registration',
  ],
  backcompat: ['auth/2025-03-26-oauth-metadata-backcompat', 'auth/2025-03-26-oauth-endpoint-fallback'],
  draft: ['auth/offline-access-scope', 'auth/offline-access-not-supported'],
  extensions: ['auth/client-credentials-jwt', 'auth/client-credentials-basic', 'auth/cross-app-access-complete-flow'],
};

for (const [part, names] of Object.entries(expectedFailures)) {
  withSuite(`in the part "${part}" of the suite the client fails what needs OAuth, and nothing else`, async () => {
    expect(await runSuite('client', [...command, '--suite', part], names)).toMatchObject({ code: 0 });
  });
}

test('the docs explain each failure of the client that is expected', async () => {
  const page = await readFile('docs/mcp.md', 'utf8');
  expect(
    Object.values(expectedFailures)
      .flat()
      .filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});
