import { resolve } from 'node:path';
import { expect } from 'vitest';
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
