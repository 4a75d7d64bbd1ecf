import { generateKeyPairSync, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkIdToken } from './id-token.js';

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const key = { ...publicKey.export({ format: 'jwk' }), kid: 'one' };
const now = 1_800_000_000_000;
const good = { iss: 'https://issuer', aud: 'client', sub: 'user', exp: now / 1000 + 60, nonce: 'n' };
const expected = { issuer: 'https://issuer', audience: 'client', nonce: 'n', keys: [key], now };

function tokenOf(claims: object, header: object = { alg: 'RS256', kid: 'one' }): string {
  const text = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64url')}`;
}

test('accepts a token of the issuer for this client and sign-in', () => {
  expect(checkIdToken(tokenOf(good), expected)).toEqual({ claims: good });
  const several = { ...good, aud: ['client', 'other'], azp: 'client' };
  expect(checkIdToken(tokenOf(several), expected)).toEqual({ claims: several });
});

test.each([
  ['', 'it is not a signed token'],
  [`${tokenOf(good)}.more`, 'it is not a signed token'],
  [tokenOf(good, { alg: 'none', kid: 'one' }), 'it is not signed with RS256'],
  [tokenOf(good, { alg: 'HS256', kid: 'one' }), 'it is not signed with RS256'],
  [tokenOf(good, { alg: 'RS256', kid: 'two' }), 'its signature is not that of the issuer'],
  [`${tokenOf(good).replace(/\.[^.]+$/, '')}.AAAA`, 'its signature is not that of the issuer'],
  [tokenOf({ ...good, iss: 'https://other' }), 'it is from another issuer'],
  [tokenOf({ ...good, aud: 'other' }), 'it is for another program'],
  [tokenOf({ ...good, aud: ['client', 'other'] }), 'it is for another program'],
  [tokenOf({ ...good, exp: now / 1000 - 61 }), 'it has expired'],
  [tokenOf({ ...good, exp: undefined }), 'it has expired'],
  [tokenOf({ ...good, nonce: 'other' }), 'it belongs to another sign-in'],
  [tokenOf({ ...good, sub: '' }), 'it names no account'],
])('refuses %s: %s', (token, problem) => {
  expect(checkIdToken(token, expected)).toEqual({ problem });
});

test('refuses keys that are none', () => {
  const keys = [null, { kid: 'one', kty: 'RSA' }, { kid: 'one', kty: 'RSA', n: '!', e: '' }];
  expect(checkIdToken(tokenOf(good), { ...expected, keys })).toEqual({
    problem: 'its signature is not that of the issuer',
  });
});
