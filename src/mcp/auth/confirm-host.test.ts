import { expect, test } from 'vitest';
import { confirmHost } from './confirm-host.js';

const addresses: Readonly<Record<string, string>> = {
  'mcp.example.com': '93.184.215.14',
  'auth.example.com': '93.184.215.15',
  'rebound.example.com': '10.0.0.5',
  'mcp.corp.example': '10.1.0.1',
  'auth.corp.example': '10.1.0.2',
  'metadata.corp.example': '169.254.169.254',
};

const lookup = async (host: string) => {
  const address = addresses[host];
  if (address === undefined) throw new Error('ENOTFOUND');
  return [{ address, family: 4 }];
};

const confirmed = async (address: string, server: string, configured: readonly string[] = []) =>
  await confirmHost(new URL(address), 'The token endpoint', {
    server: new URL(server),
    configured: configured.map((one) => new URL(one)),
    lookup,
  }).then(
    () => 'confirmed',
    (error: Error) => error.message,
  );

const PUBLIC = 'https://mcp.example.com/mcp';
const INSIDE = 'https://mcp.corp.example/mcp';
const LOCAL = 'http://127.0.0.1:8000/mcp';

test.each([
  ['https://auth.example.com/token', PUBLIC],
  ['https://mcp.example.com/token', PUBLIC],
  ['https://behind-a-proxy.example.com/token', PUBLIC], // the name resolves only at the proxy
  ['https://auth.corp.example/token', INSIDE],
  ['https://auth.example.com/token', INSIDE],
  ['http://localhost:9000/token', LOCAL],
  ['http://[::1]:9000/token', LOCAL],
  ['https://auth.example.com/token', LOCAL],
])('requests to %s are permitted for the server %s', async (address, server) => {
  expect(await confirmed(address, server)).toBe('confirmed');
});

test.each([
  ['http://auth.example.com/token', PUBLIC, 'not encrypted'],
  ['http://mcp.example.com/token', PUBLIC, 'not encrypted'],
  ['http://localhost:9000/token', PUBLIC, 'not encrypted'],
  ['ftp://auth.example.com/token', PUBLIC, 'not encrypted'],
  ['https://localhost/token', PUBLIC, 'inside a private network'],
  ['https://10.0.0.5/token', PUBLIC, 'inside a private network'],
  ['https://[::1]/token', PUBLIC, 'inside a private network'],
  ['https://[::ffff:10.0.0.5]/token', PUBLIC, 'inside a private network'],
  ['https://0x7f.1/token', PUBLIC, 'inside a private network'],
  ['https://rebound.example.com/token', PUBLIC, 'inside a private network'],
  ['https://169.254.169.254/token', PUBLIC, 'inside a private network'],
  ['https://metadata.corp.example/token', INSIDE, 'inside a private network'],
  ['https://169.254.169.254/token', LOCAL, 'inside a private network'],
  ['https://user:pass@auth.example.com/token', PUBLIC, 'has a user or a password'],
])('requests to %s are refused for the server %s', async (address, server, why) => {
  expect(await confirmed(address, server)).toContain(why);
});

test('an address that settings name is confirmed by the user', async () => {
  expect(await confirmed('https://10.0.0.5/token', PUBLIC, ['https://10.0.0.5/metadata'])).toBe('confirmed');
});
