import { expect, test } from 'vitest';
import { readOauth } from './oauth-settings.js';

const reference = (name: string): string => `\${${name}}`;
const filled = (text: string): string => text.replace(reference('SECRET'), 'the secret');

test('reads the names that Claude Code has', () => {
  const oauth = {
    clientId: 'mine',
    callbackPort: 8080,
    authServerMetadataUrl: 'https://auth.example.com/.well-known/openid-configuration',
    scopes: 'read write',
  };
  expect(readOauth(oauth, filled)).toEqual({
    oauth: { ...oauth, grant: 'authorization_code', privateKeyAlgorithm: 'ES256' },
  });
});

test('fills in secrets from variables, and ignores empty fields', () => {
  const oauth = { clientId: 'mine', clientSecret: reference('SECRET'), clientMetadataUrl: '' };
  expect(readOauth(oauth, filled)).toEqual({
    oauth: { clientId: 'mine', clientSecret: 'the secret', grant: 'authorization_code', privateKeyAlgorithm: 'ES256' },
  });
});

test.each([
  ['text', 'not an object'],
  [{ client_id: 'a' }, 'has "client_id" in "oauth"'],
  [{ clientId: 5 }, 'whose "clientId" is not a text'],
  [{ clientId: 'a', clientSecret: 'plain' }, 'has the clientSecret itself'],
  [{ clientId: 'a', clientSecret: `prefix ${reference('SECRET')}` }, 'has the clientSecret itself'],
  [{ clientId: 'a', clientSecret: reference('UNSET') }, 'that variable is not set'],
  [{ clientSecret: reference('SECRET') }, 'but no "clientId"'],
  [{ grant: 'password' }, 'whose "grant" is neither'],
  [{ grant: 'client_credentials' }, 'but no "clientId"'],
  [{ grant: 'client_credentials', clientId: 'a' }, 'neither a "clientSecret" nor a "privateKey"'],
  [{ clientId: 'a', privateKey: reference('SECRET'), privateKeyAlgorithm: 'none' }, 'is not known'],
  [{ callbackPort: 70_000 }, 'is not a port'],
  [{ scopes: 'a"b' }, 'scopes in "oauth" that can\'t be sent'],
  [{ authServerMetadataUrl: 'http://auth.example.com/x' }, 'is not an https address'],
  [{ issuer: 'https://me:pass@auth.example.com' }, 'is not an https address'],
  [{ clientMetadataUrl: 'https://example.com/' }, 'is not an https address with a path'],
])('refuses %j', (oauth, why) => {
  const read = readOauth(oauth, filled);
  expect('problem' in read ? read.problem : '').toContain(why);
  expect(JSON.stringify(read)).not.toContain('the secret');
});
