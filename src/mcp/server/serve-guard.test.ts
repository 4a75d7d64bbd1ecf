import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refusalOf } from './serve-guard.js';

const ours = { token: 'the-token-of-this-run', port: 4000 };
const good = { host: ['127.0.0.1:4000'], authorization: ['Bearer the-token-of-this-run'] };

const statusFor = (headers: NodeJS.Dict<string[]>, url = '/mcp'): number | undefined =>
  refusalOf({ headersDistinct: { ...good, ...headers }, url }, ours)?.status;

test('accepts a request that names this machine and has the token', () => {
  expect(statusFor({})).toBeUndefined();
  expect(statusFor({ host: ['LocalHost:4000'], origin: ['http://localhost:6274'] })).toBeUndefined();
  expect(statusFor({ authorization: ['bearer  the-token-of-this-run'] })).toBeUndefined();
});

test('refuses any other host', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.webAuthority({ withPort: true, withUserInfo: true }), fc.ipV4(), fc.ipV6()),
      (host) => {
        fc.pre(!/^(?:127\.0\.0\.1|localhost|\[::1\]):4000$/i.test(host));
        expect(statusFor({ host: [host] })).toBe(403);
      },
    ),
  );
});

test('refuses any origin but this machine', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.domain()), (origin) => {
      fc.pre(!/^https?:\/\/(?:127\.0\.0\.1|localhost|\[::1\])/i.test(origin));
      expect(statusFor({ origin: [origin] })).toBe(403);
    }),
  );
});

test('refuses any other token', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant(`${ours.token} `)), (token) => {
      fc.pre(token !== ours.token);
      expect(statusFor({ authorization: [`Bearer ${token}`] })).toBe(401);
    }),
  );
});

test('refuses headers that are sent twice', () => {
  expect(statusFor({ host: ['127.0.0.1:4000', '127.0.0.1:4000'] })).toBe(403);
  expect(statusFor({ origin: ['http://localhost', 'https://evil.test'] })).toBe(403);
  expect(statusFor({ authorization: [...good.authorization, 'Bearer other'] })).toBe(401);
});

test('a request line with a full URL of another host is refused', () => {
  expect(statusFor({}, 'http://evil.test/mcp')).toBe(403);
  expect(statusFor({}, '*')).toBe(403);
});

test('headers that are missing are refused', () => {
  expect(refusalOf({ headersDistinct: {}, url: '/mcp' }, ours)?.status).toBe(403);
  expect(refusalOf({ headersDistinct: { host: good.host }, url: '/mcp' }, ours)?.status).toBe(401);
});
