import { expect, test } from 'vitest';
import { FailedServers } from './failed-servers.js';

test('each failed server is noted once, and a disabled one is not', () => {
  const failed = new FailedServers();
  const off = { name: 'off', status: 'disabled' };
  expect(failed.news([{ name: 'a', status: 'pending' }, off])).toBeUndefined();
  expect(failed.news([{ name: 'a', status: 'failed' }, off])).toBe('1 MCP server failed: a · /mcp');
  expect(failed.news([{ name: 'a', status: 'failed' }, off])).toBeUndefined();
  expect(failed.news(['a', 'b', 'c'].map((name) => ({ name, status: 'failed' })))).toBe(
    '2 MCP servers failed: b, c · /mcp',
  );
});

test('a server that fails again after it was connected is noted again', () => {
  const failed = new FailedServers();
  failed.news([{ name: 'a', status: 'failed' }]);
  failed.news([{ name: 'a', status: 'connected' }]);
  expect(failed.news([{ name: 'a', status: 'failed' }])).toBe('1 MCP server failed: a · /mcp');
});
