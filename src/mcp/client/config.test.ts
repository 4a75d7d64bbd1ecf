import { expect, test } from 'vitest';
import { readConfig } from './config.js';

const read = (entry: Record<string, unknown>, env: Record<string, string> = {}) =>
  readConfig({ name: 'x', entry, source: 'user' }, env);

test('a command is a process, with its variables filled in', () => {
  const entry = { command: `\${BIN}/run`, args: ['--to', `\${WHERE:-here}`], env: { A: `\${A}`, B: `\${B:-}` } };
  expect(read(entry, { BIN: '/opt', A: '1' })).toEqual({
    config: {
      type: 'stdio',
      command: '/opt/run',
      args: ['--to', 'here'],
      env: { A: '1', B: '' },
      alwaysLoad: false,
    },
    warnings: [],
  });
});

test('a variable that is not set stays as it is written, with a warning', () => {
  const result = read({ type: 'http', url: `https://example.com/\${PLACE}`, headers: { Authorization: `\${TOKEN}` } });
  expect(result).toMatchObject({ config: { headers: { Authorization: `\${TOKEN}` } } });
  expect(result).toMatchObject({ warnings: [expect.stringContaining('PLACE'), expect.stringContaining('TOKEN')] });
});

test('an empty variable gives way to a default', () => {
  expect(read({ command: `\${C:-node}` }, { C: '' })).toMatchObject({ config: { command: 'node' } });
});

test.each([
  [{ url: 'https://example.com' }, /has a "url" but no "type"/],
  [{ type: 'ws', url: 'wss://example.com' }, /has the type "ws"/],
  [{ type: 'http', url: 'file:///etc/passwd' }, /not an http or https address/],
  [{ type: 'stdio', url: 'https://example.com' }, /has no "command"/],
  [{ command: ' ' }, /has no "command"/],
])('%j is refused with the reason', (entry, problem) => {
  expect(read(entry)).toMatchObject({ problem: expect.stringMatching(problem) });
});

test('a server with an empty address is disabled', () => {
  expect(read({ type: 'http', url: '' })).toMatchObject({ disabled: true });
});

test('a timeout below a second, probably meant in seconds, is ignored', () => {
  expect(read({ command: 'a', timeout: 60 })).not.toHaveProperty('config.timeoutMs');
  expect(read({ command: 'a', timeout: 60_000 })).toHaveProperty('config.timeoutMs', 60_000);
  expect(read({ command: 'a', timeout: 1e15 })).toHaveProperty('config.timeoutMs', 2 ** 31 - 1);
});
