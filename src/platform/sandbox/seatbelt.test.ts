import { expect, test } from 'vitest';
import { seatbeltProfile } from './seatbelt.js';

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
