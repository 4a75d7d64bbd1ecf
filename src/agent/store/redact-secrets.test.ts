import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactSecrets, secretsIn } from './redact-secrets.js';

const github = `ghp_${'a1B2c3'.repeat(6)}`;
const key = `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIBAAKCAQEAq7Zt1Jd9'.repeat(2)}\n${`${'Qm9Yx3Lk2Vw8'.repeat(5)}\n`.repeat(40)}-----END RSA PRIVATE KEY-----`;

test.each([
  [`token ${github} here`, 'token [redacted: GitHub token] here'],
  [`before\n${key}\nafter`, 'before\n[redacted: private key]\nafter'],
  [`before ${key.slice(0, 900)}`, 'before [redacted: private key]'],
  ['DB_PASSWORD=correcthorse', 'DB_PASSWORD=[redacted: secret]'],
  ['export API_KEY="abc def1"', 'export API_KEY="[redacted: secret]"'],
  ['{"password": "hunter2"}', '{"password": "[redacted: secret]"}'],
  ['{\\"client_secret\\": \\"s3cr3tvalue\\"}', '{\\"client_secret\\": \\"[redacted: secret]\\"}'],
  ['const dbPassword = "hunter2";', 'const dbPassword = "[redacted: secret]";'],
  ['mysql --password=hunter2 db', 'mysql --password=[redacted: secret] db'],
  ['login --token hunter2', 'login --token [redacted: secret]'],
  ['Authorization: Bearer abcdefgh', 'Authorization: Bearer [redacted: authorization]'],
  ['-H "authorization: Basic dXNlcjpwYXNz"', '-H "authorization: Basic [redacted: authorization]"'],
  ['Set-Cookie: session=abcdef123; Path=/', 'Set-Cookie: [redacted: cookie]'],
  ['https://me:hunter2@example.org/x', 'https://me:[redacted: password]@example.org/x'],
  ['curl -u me:hunter2 https://x', 'curl -u me:[redacted: password] https://x'],
])('redacts %j', (text, expected) => {
  expect(redactSecrets(text)).toBe(expected);
});

test.each([
  'function login(password: string, token: Token): void',
  'const token = response.data.token;',
  'password = getPassword()',
  'The password must have 8 characters, and the token is optional.',
  'API_KEY=$API_KEY',
  'API_KEY=your-key-here',
  'if (token === undefined) return;',
  'Basic authentication, see https://example.org:8080/path',
  'tokenizer: "gpt2"',
])('does not redact %j', (text) => {
  expect(redactSecrets(text)).toBe(text);
});

test('redacts known secret values at any position', () => {
  expect(redactSecrets('x=plainwords; plainwords', ['plainwords', 'x'])).toBe(
    'x=[redacted: secret]; [redacted: secret]',
  );
});

test('a secret of a known format is redacted in any surrounding text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (before, after) => {
      expect(redactSecrets(`${before} ${github} ${after}`)).not.toContain(github);
    }),
  );
});

test('redacts a known secret value that is escaped in JSON', () => {
  const secret = 'quo"ted\\and\nbroken';
  expect(redactSecrets(JSON.stringify({ command: `login ${secret}` }), [secret])).toBe(
    '{"command":"login [redacted: secret]"}',
  );
});

test('treats variables of the environment with secret names as secrets', () => {
  const env = {
    DEPLOY_TOKEN: 'value-number-one',
    db_password: 'value-number-two',
    HOME: '/home/somebody',
    A_KEY: 'short',
  };
  expect(secretsIn(env)).toEqual(['value-number-one', 'value-number-two']);
});

test('redacts an access key id even if it contains EXAMPLE', () => {
  expect(redactSecrets('id: AKIAIOSFODNN7EXAMPLE.')).toBe('id: [redacted: AWS access key id].');
  expect(redactSecrets('AKIAIOSFODNN7EXAMPLES is a letter too long')).toContain('AKIAIOSFODNN7EXAMPLES');
});
