import { expect, test } from 'vitest';
import { clientAddress } from './client-address.js';

test('links have the name of the proxy if there is one', () => {
  const url = 'http://127.0.0.1:7433';
  const allowedHosts = ['helve.example.org'];
  expect(clientAddress({ url, isBehindProxy: true, allowedHosts })).toBe('https://helve.example.org');
  expect(clientAddress({ url, isBehindProxy: false, allowedHosts })).toBe(url);
});
