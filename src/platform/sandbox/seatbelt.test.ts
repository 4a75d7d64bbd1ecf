import { expect, test } from 'vitest';
import { seatbelt, seatbeltProfile } from './seatbelt.js';

const nothing = { rules: [], pinned: [], missing: [], links: [] };

test('rules are ordered from the root down, so that the deeper one wins', () => {
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

test('denied reads come after all rules that allow them', () => {
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

test('if hosts are allowed, only the port of the proxy can be reached', () => {
  const profile = seatbeltProfile(nothing, { network: { address: 4711, direct: [] } });
  expect(profile.match(/network[^\n]*/g)).toEqual(['network-outbound (remote ip "localhost:4711"))']);
});

test('the proxy variables are set in both spellings', async () => {
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

test('everything not listed is denied, and the network is listed only if it is on', () => {
  const off = seatbeltProfile(nothing, { network: 'off' });
  expect(off).toMatch(/^\(version 1\)\n\(deny default\)\n/);
  expect(off).not.toContain('(allow network');
  expect(off).not.toContain('(allow file-write*)');
  expect(seatbeltProfile(nothing, { network: 'on' })).toContain('(allow network*)');
});
