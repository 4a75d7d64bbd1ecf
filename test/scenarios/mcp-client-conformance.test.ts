import { resolve } from 'node:path';
import { expect } from 'vitest';
import {
  requiredOfClients,
  runNextSuite,
  runSuite,
  scenariosOfRun,
  withBothSuites,
  withNextSuite,
} from './official-suite.js';

const command = ['--command', `"${process.execPath}" "${resolve('test/fixtures/mcp/suite-client.mjs')}"`];

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
}

for (const scenario of withoutAuth['2026-07-28']) {
  withNextSuite(`the client passes the scenario ${scenario} at 2026-07-28`, async () => {
    const flags = [...command, '--scenario', scenario, '--spec-version', '2026-07-28'];
    expect(await runNextSuite('client', flags)).toMatchObject({ code: 0 });
  });
}

// One at a time: one of them looks at the clock.
withBothSuites('the client passes the scenarios of 2025-11-25 of both versions of the suite', async () => {
  const older = withoutAuth['2025-11-25'].map((name) => ['--scenario', name]);
  const runs = [...older, ...older.map((flags) => [...flags, '--spec-version', '2025-11-25'])];
  for (const flags of scenariosOfRun(runs, 1 / 4)) {
    const run = flags.includes('--spec-version') ? runNextSuite : runSuite;
    expect(await run('client', [...command, ...flags])).toMatchObject({ code: 0 });
  }
});
