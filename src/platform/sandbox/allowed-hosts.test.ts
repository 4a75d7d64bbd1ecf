import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  hostLists,
  isAddressAllowed,
  isHostAllowed,
  isLocal,
  normalizeHost,
  parseHostPattern,
} from './allowed-hosts.js';

const lists = (allowed: string[], denied: string[] = []) => hostLists({ allowed, denied });

test.each([
  ['example.com', 'example.com', 443, true],
  ['Example.COM.', 'example.com', 443, true],
  ['example.com', 'evilexample.com', 443, false],
  ['example.com', 'example.com.evil.org', 443, false],
  ['example.com', 'api.example.com', 443, false],
  ['*.example.com', 'api.example.com', 443, true],
  ['*.example.com', 'a.b.example.com', 443, true],
  ['*.example.com', 'example.com', 443, false],
  ['*.example.com', 'evilexample.com', 443, false],
  ['*.com', 'example.com', 80, true],
  ['*', 'example.com', 80, true],
  ['*', '93.184.216.34', 80, false],
  ['93.184.216.34', '93.184.216.34', 80, true],
  ['example.com:443', 'example.com', 443, true],
  ['example.com:443', 'example.com', 80, false],
  ['*:443', 'example.com', 443, true],
  ['*:443', 'example.com', 22, false],
  ['[::1]:8080', '::1', 8080, true],
  ['::1', '::1', 8080, true],
  ['127.1', '127.0.0.1', 80, true],
  ['bücher.example', 'xn--bcher-kva.example', 80, true],
])('if %s is allowed, %s:%i may be reached: %s', (allowed, host, port, expected) => {
  expect(isHostAllowed({ host, port }, lists([allowed]))).toBe(expected);
});

test('a denied host stays denied, however broad the allowed list is', () => {
  const some = lists(['*', 'a.example.com', '192.0.2.1'], ['*.example.com', '192.0.2.1', 'x.org:22']);
  const asked = (host: string, port = 443) => isHostAllowed({ host, port }, some);
  expect([
    asked('a.example.com'),
    asked('192.0.2.1'),
    asked('x.org', 22),
    asked('x.org'),
    asked('example.com'),
  ]).toEqual([false, false, false, true, true]);
});

test.each([
  '127.0.0.1',
  '127.8.9.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '192.0.0.192',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  'fd00:ec2::254',
  'fe80::1',
  'ff02::1',
])('%s is local, and a name that resolves to it does not allow it', (address) => {
  const destination = { host: 'example.com', port: 80 };
  expect(isAddressAllowed(address, destination, lists(['example.com', '*']))).toBe(false);
});

test.each(['93.184.216.34', '2606:2800:220:1::1', '172.32.0.1', '::ffff:8.8.8.8'])('%s is not local', (address) => {
  expect(isLocal(normalizeHost(address) ?? '')).toBe(false);
  expect(isAddressAllowed(address, { host: 'example.com', port: 80 }, lists(['example.com']))).toBe(true);
});

test('a local address is allowed only if it is listed itself, with its port if one is given', () => {
  const to = (address: string, port: number, allowed: string[]) =>
    isAddressAllowed(address, { host: 'git.corp', port }, lists(['git.corp', ...allowed]));
  expect([to('10.0.0.5', 443, []), to('10.0.0.5', 443, ['10.0.0.5']), to('10.0.0.6', 443, ['10.0.0.5'])]).toEqual([
    false,
    true,
    false,
  ]);
  expect([to('10.0.0.5', 443, ['10.0.0.5:443']), to('10.0.0.5', 22, ['10.0.0.5:443'])]).toEqual([true, false]);
});

test('localhost means only this machine, and a denied address stays denied', () => {
  const local = { host: 'localhost', port: 80 };
  expect(isAddressAllowed('127.0.0.1', local, lists(['localhost']))).toBe(true);
  expect(isAddressAllowed('10.0.0.5', local, lists(['localhost']))).toBe(false);
  expect(isAddressAllowed('127.0.0.1', local, lists(['*', 'localhost:81']))).toBe(false);
  expect(isAddressAllowed('127.0.0.1', local, lists(['localhost'], ['127.0.0.1']))).toBe(false);
  expect(isAddressAllowed('::ffff:8.8.8.8', { host: 'a.org', port: 80 }, lists(['a.org'], ['8.8.8.8']))).toBe(false);
});

test.each([
  '',
  ' ',
  'a b',
  'a/b',
  'a:b',
  'a@b',
  'exa*mple.com',
  '**.a',
  '*.',
  '.',
  'a..b',
  '*.1.2.3.4',
  'a:0',
  'a:70000',
  '[::1',
  'fe80::1%eth0',
])('%j is not a host', (text) => {
  expect(parseHostPattern(text)).toBeUndefined();
});

test('an entry for subdomains never allows the host itself or one that only ends like it', () => {
  const label = fc.stringMatching(/^[a-z]([a-z0-9-]{0,8}[a-z0-9])?$/).filter((text) => !text.startsWith('xn--'));
  const host = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => [...labels, 'test'].join('.'));
  void fc.assert(
    fc.property(host, label, (name, extra) => {
      const below = lists([`*.${name}`]);
      expect(isHostAllowed({ host: name, port: 443 }, below)).toBe(false);
      expect(isHostAllowed({ host: `${extra}${name}`, port: 443 }, below)).toBe(false);
      expect(isHostAllowed({ host: `${extra}.${name}`, port: 443 }, below)).toBe(true);
      expect(isHostAllowed({ host: `${name}.${extra}`, port: 443 }, below)).toBe(
        `${name}.${extra}`.endsWith(`.${name}`),
      );
    }),
  );
});
