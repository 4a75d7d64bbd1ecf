import { expect, test } from 'vitest';
import { hidesHost, matchesDomain, parseDomain } from './match-url.js';

test.each<[string, string, boolean]>([
  ['example.com', 'https://EXAMPLE.com./x', true],
  ['example.com', 'https://api.example.com', false],
  ['example.com', 'https://example.com.evil.test', false],
  ['example.com', 'https://evil.test/example.com', false],
  ['example.com', 'https://evilexample.com', false],
  ['example.com', 'https://example.com:8443/', true],
  ['*.example.com', 'https://a.b.example.com', true],
  ['*.example.com', 'https://example.com', false],
  ['*.example.com', 'https://aexample.com', false],
  ['example.*', 'https://example.org', true],
  ['example.*', 'https://example.evil.com', false],
  ['*', 'https://anything.test', true],
  ['bücher.example', 'https://xn--bcher-kva.example', true],
  ['example.com', 'not a url', false],
])('domain:%s against %s: %s', (domain, url, expected) => {
  const pattern = parseDomain(domain);
  expect(pattern && matchesDomain(pattern, url)).toBe(expected);
});

test.each([['https://docs.example.com@evil.test/'], ['https://evil.test\0.example.com'], ['nothing']])(
  'sees that %j hides where it leads',
  (url) => {
    expect(hidesHost(url)).toBe(true);
  },
);

test.each([[''], ['a b'], ['https://x'], ['a/b'], ['.']])('%j is no domain', (text) => {
  expect(parseDomain(text)).toBeUndefined();
});
