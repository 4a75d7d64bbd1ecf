import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addressKind } from './special-addresses.js';

test.each([
  ['public', ['93.184.216.34', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00::1']],
  ['private', ['127.0.0.1', '127.255.0.1', '10.0.0.1', '172.16.0.1', '192.168.0.1', '100.64.0.1', '::1', 'fc00::1']],
  [
    'never',
    [
      ...['0.0.0.0', '169.254.169.254', '100.100.100.200', '168.63.129.16', '192.0.0.192', '198.18.0.1', '224.0.0.1'],
      ...[
        '240.0.0.1',
        '255.255.255.255',
        '192.0.2.1',
        '203.0.113.9',
        '::',
        '::ffff:8.8.8.8',
        '::ffff:10.0.0.1',
        '::ffff:127.0.0.1',
        '::ffff:169.254.1.1',
      ],
      ...['::127.0.0.1', '64:ff9b::7f00:1', '64:ff9b:1::1', '2002:7f00:1::', '2001::1', '2001:db8::1', '100::1'],
      ...['fe80::1', 'fec0::1', 'ff02::1', 'fd00:ec2::254', 'fe80::1%eth0', 'example.com', '', '127.1'],
    ],
  ],
] as const)('finds %s addresses', (kind, addresses) => {
  expect(Object.fromEntries(addresses.map((address) => [address, addressKind(address)]))).toEqual(
    Object.fromEntries(addresses.map((address) => [address, kind])),
  );
});

test('no IPv4 address counts as public because it is written as IPv6', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '::', '64:ff9b::'), (address, prefix) => {
      expect(addressKind(`${prefix}${address}`)).toBe('never');
    }),
  );
});
