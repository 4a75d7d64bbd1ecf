import { expect, test } from 'vitest';
import { hidesHost, matchesDomain, parseDomain } from './match-url.js';

const matches = (domain: string, url: string): boolean => {
  const pattern = parseDomain(domain);
  return pattern !== undefined && matchesDomain(pattern, url) && !hidesHost(url);
};

test.each([
  ['example.com', 'https://example.com/', true],
  ['example.com', 'https://EXAMPLE.com:8443/a?b', true],
  ['example.com', 'https://example.com./', true],
  ['Example.COM.', 'https://example.com/', true],
  ['example.com', 'https://www.example.com/', false],
  ['example.com', 'https://example.com.evil.test/', false],
  ['example.com', 'https://notexample.com/', false],
  ['example.com', 'https://example.com@evil.test/', false],
  ['example.com', 'https://evil.test@example.com/', false],
  ['example.com', 'https://evil.test/example.com', false],
  ['example.com', 'https://evil.test#@example.com/', false],
  ['example.com', 'https://evil.test\\@example.com/', false],
  ['example.com', 'https://evil.test\0.example.com/', false],
  ['example.com', 'https://example。com/', true],
  ['example.com', 'https://ｅxample.com/', true],
  ['*.example.com', 'https://a.b.example.com/', true],
  ['*.example.com', 'https://example.com/', false],
  ['*.example.com', 'https://evilexample.com/', false],
  ['api.*.example.com', 'https://api.eu.example.com/', true],
  ['api.*.example.com', 'https://api.eu.west.example.com/', false],
  ['bücher.example', 'https://xn--bcher-kva.example/', true],
  ['xn--bcher-kva.example', 'https://BÜCHER.example/', true],
  ['127.0.0.1', 'http://2130706433/', true],
  ['127.0.0.1', 'http://0x7f.1:3000/', true],
  ['[::1]', 'http://[0:0:0:0:0:0:0:1]/', true],
  ['*', 'https://anything.test/', true],
  ['example.com/path', 'https://example.com/path', false],
])('row %#: the domain %s is matched with %j by labels', (domain, url, expected) => {
  expect(matches(domain, url)).toBe(expected);
});
