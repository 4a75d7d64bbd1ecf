import { expect, test } from 'vitest';
import { seatbelt, seatbeltProfile } from './seatbelt.js';

const nothing = { rules: [], pinned: [], missing: [], links: [] };

test('rules follow each other from the root down, so that the deeper one holds', () => {
  const profile = seatbeltProfile(
    {
      rules: [
        { path: '/w', access: 'write', folder: true },
        { path: '/w/.git/hooks', access: 'read', folder: true },
        { path: '/w/keys', access: 'none', folder: true },
      ],
      pinned: ['/w/.git'],
      missing: ['/w/.mcp.json'],
      links: ['/w/.claude'],
    },
    { network: 'off' },
  );
  expect(profile.slice(profile.indexOf('(allow file-read* file-write* (subpath "/w"))'))).toBe(
    `(allow file-read* file-write* (subpath "/w"))
(allow file-read* (subpath "/w/.git/hooks"))
(deny file-write* (subpath "/w/.git/hooks"))
(deny file-read* file-write* (subpath "/w/keys"))
(deny file-write* (subpath "/w/.mcp.json"))
(deny file-write* (literal "/w/.claude"))
(deny file-write-unlink (literal "/w/.git"))
(allow file-read-metadata (literal "/"))
(allow file-read-metadata (literal "/w"))
`,
  );
});

test('what may not be read is refused after everything that opens it', () => {
  const profile = seatbeltProfile(
    {
      ...nothing,
      rules: [
        { path: '/w', access: 'write', folder: true },
        { path: '/w/.env', access: 'none', folder: false },
      ],
    },
    { network: 'off' },
  );
  expect(profile.indexOf('(deny file-read* file-write* (subpath "/w/.env"))')).toBeGreaterThan(
    profile.indexOf('(allow file-read* file-write* (subpath "/w"))'),
  );
});

test('where hosts are allowed, the port of the proxy is all that can be reached', () => {
  const profile = seatbeltProfile(nothing, { network: { address: 4711, direct: [] } });
  expect(profile.match(/network[^\n]*/g)).toEqual(['network-outbound (remote ip "localhost:4711"))']);
});

test('programs are told to use the proxy, in both spellings', async () => {
  const policy = { workspace: [], writable: [], hidden: [], readOnly: [], temp: '/tmp', home: '/' };
  const command = { program: 'true', args: [], cwd: '/', env: { HTTP_PROXY: 'http://other' }, freeDescriptor: 3 };
  const network = { address: 4711, direct: ['localhost', '::1'] };
  const { env } = await seatbelt('').wrap(command, { ...policy, network });
  const address = 'http://127.0.0.1:4711';
  expect(env).toMatchObject({
    HTTP_PROXY: address,
    https_proxy: address,
    ALL_PROXY: address,
    no_proxy: 'localhost,::1',
  });
});

test.each([
  ['a quote that would end the string', '/w/a") (allow default) ("', '/w/a\\") (allow default) (\\"'],
  ['a backslash', '/w/a\\', '/w/a\\\\'],
  ['a space, a parenthesis and a semicolon', '/w/a (b); c', '/w/a (b); c'],
])('a path with %s stays one string', (_name, path, written) => {
  const profile = seatbeltProfile({ ...nothing, rules: [{ path, access: 'write', folder: true }] }, { network: 'off' });
  expect(profile).toContain(`(allow file-read* file-write* (subpath "${written}"))\n`);
});

test('everything is refused that is not named, and the network is named only where it is on', () => {
  const off = seatbeltProfile(nothing, { network: 'off' });
  expect(off).toMatch(/^\(version 1\)\n\(deny default\)\n/);
  expect(off).not.toContain('(allow network');
  expect(off).not.toContain('(allow file-write*)');
  expect(seatbeltProfile(nothing, { network: 'on' })).toContain('(allow network*)');
});
