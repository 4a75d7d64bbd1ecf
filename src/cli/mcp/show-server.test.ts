import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KnownServer } from './known-servers.js';
import { summaryOf, withoutSecrets } from './show-server.js';

const secret = fc.uuid().map((id) => `S3-${id}`);

const serverOf = (entry: KnownServer['entry']): KnownServer => ({
  name: 'a',
  entry,
  scope: 'user',
  file: 'settings.json',
  state: 'trusted',
});

test('a secret is masked in any place', () => {
  fc.assert(
    fc.property(secret, fc.constantFrom('api-key', 'token', 'client-secret', 'password', 'auth'), (value, name) => {
      const entries = [
        { command: 'x', env: { ANYTHING: value } },
        { command: 'x', args: [`--${name}`, value] },
        { command: 'x', args: [`--${name}=${value}`] },
        { command: 'x', args: [`${name.toUpperCase().replaceAll('-', '_')}=${value}`] },
        { command: 'x', args: [`https://me:${value}@example.com/`] },
        { type: 'http', url: `https://example.com/?${name}=${value}#x` },
        { type: 'http', url: `https://${value}@example.com/` },
        { type: 'http', url: 'https://example.com/', headers: { 'X-Anything': value } },
        { type: 'http', url: 'https://example.com/', oauth: { [name]: value } },
      ];
      for (const entry of entries) {
        expect(JSON.stringify(withoutSecrets(entry))).not.toContain(value);
        expect(summaryOf(serverOf(entry))).not.toContain(value);
      }
    }),
  );
});

test('values that are not secret are shown', () => {
  const entry = { type: 'stdio', command: 'npx', args: ['-y', 'a b', '--level', '3'], timeout: 5, alwaysLoad: true };
  expect(withoutSecrets(entry)).toEqual(entry);
  expect(summaryOf(serverOf(entry))).toBe("npx -y 'a b' --level 3");
});

test('hidden characters are made visible', () => {
  expect(summaryOf(serverOf({ command: 'x\u001b[2J\u202e' }))).toBe(String.raw`'x\u001b[2J\u202e'`);
});
