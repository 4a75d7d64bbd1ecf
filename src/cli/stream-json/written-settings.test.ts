import { expect, test } from 'vitest';
import { settingTable } from '../../settings/schema.js';
import type { Setting } from '../../settings/setting.js';
import { mayWrite } from './written-settings.js';

test.each([
  ...['statusLine', 'hooks', 'apiKeyHelper', 'env', 'mcpServers', 'enabledPlugins', 'extraKnownMarketplaces'],
  ...['permissions', 'permissions.allow', 'sandbox', 'disableAllHooks', 'model', 'unknown', '', '__proto__'],
])('a host does not write the setting "%s"', (name) => {
  expect(mayWrite(name)).toBe(false);
});

test('a host writes no setting that an untrusted project could not set', () => {
  const table: Readonly<Record<string, Setting>> = settingTable;
  const written = Object.keys(table).filter(mayWrite);
  expect(written).not.toEqual([]);
  for (const name of written) expect(table[name]).not.toHaveProperty('loosens');
});
