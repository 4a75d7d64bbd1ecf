import { expect, test } from 'vitest';
import { describeSystem } from './doctor.js';

test.each([
  ['linux', 'x64', 'ok', 'developed and tested'],
  ['linux', 'arm64', 'warning', 'not tested. docs/platforms.md'],
  ['darwin', 'arm64', 'warning', 'not tested. docs/platforms.md'],
  ['win32', 'x64', 'broken', 'Use WSL 2.'],
])('the check of the system says what is tested on %s %s', (platform, arch, state, detail) => {
  const finding = describeSystem({ platform, arch });
  expect(finding).toMatchObject({ what: 'System', state, detail: expect.stringContaining(detail) });
});
