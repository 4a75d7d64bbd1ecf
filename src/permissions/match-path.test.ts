import fc from 'fast-check';
import ignore from 'ignore';
import { expect, test } from 'vitest';
import {
  type Anchors,
  escapePath,
  matchesPath,
  matchesTree,
  mayMatchBelow,
  mayMatchGlob,
  type PathPattern,
  type PathStyle,
  parsePathPattern,
} from './match-path.js';

const unix: PathStyle = { foldsCase: false, windows: false };
const anchors: Anchors = { source: ['/p/settings'], project: ['/p', '/real/p'], home: ['/home/me'] };

function pattern(text: string, list: 'allow' | 'ask' | 'deny' = 'allow', style = unix, from = anchors): PathPattern {
  const parsed = parsePathPattern(text, { list, anchors: from, style });
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.pattern;
}

test.each<[string, 'allow' | 'deny', string, boolean]>([
  // The four anchors.
  ['//etc/**', 'deny', '/etc/passwd', true],
  ['//etc/**', 'deny', '/p/etc/passwd', false],
  ['//**/.env', 'deny', '/anywhere/at/all/.env', true],
  ['~/.ssh/**', 'deny', '/home/me/.ssh/id_rsa', true],
  ['~/.ssh/**', 'deny', '/home/me/.sshx/id_rsa', false],
  ['~', 'deny', '/home/me/x', true],
  ['/docs/**', 'allow', '/p/settings/docs/a', true],
  ['/docs/**', 'allow', '/p/docs/a', false],
  ['docs/**', 'allow', '/p/docs/a', true],
  ['docs/**', 'allow', '/real/p/docs/a', true],
  ['docs/**', 'allow', '/p/docs2/a', false],
  ['docs/**', 'allow', '/p-evil/docs/a', false],
  ['../other/**', 'allow', '/other/a', true],
  ['a/../b/c', 'deny', '/p/b/c', true],
  // A bare name at any depth; a folder of one name where the rule denies.
  ['.env', 'deny', '/p/.env', true],
  ['.env', 'deny', '/p/a/b/.env', true],
  ['.env', 'deny', '/.env', false],
  ['.env', 'deny', '/p/.env.local', false],
  ['./.env', 'deny', '/p/a/.env', true],
  ['./.env', 'allow', '/p/a/.env', false],
  ['src/**', 'allow', '/p/vendor/src/x', false],
  ['src/**', 'deny', '/p/vendor/src/x', true],
  ['./src/**', 'deny', '/p/vendor/src/x', false],
  ['**/src/**', 'allow', '/p/vendor/src/x', true],
  ['src/**/*.ts', 'deny', '/p/src/a.ts', true],
  ['src/**/*.ts', 'deny', '/p/src/a/b/c.ts', true],
  // Wildcards.
  ['file?.txt', 'deny', '/p/file1.txt', true],
  ['file?.txt', 'deny', '/p/file12.txt', false],
  ['*.pem', 'deny', '/p/certs/a.pem', true],
  ['*.pem', 'deny', '/p/a.pem.bak', false],
  ['[ab].txt', 'deny', '/p/b.txt', true],
  ['[!ab].txt', 'deny', '/p/b.txt', false],
  ['[a-c].txt', 'deny', '/p/b.txt', true],
  ['[].txt', 'deny', '/p/[].txt', true],
  ['a\\*b', 'deny', '/p/a*b', true],
  ['a\\*b', 'deny', '/p/aXb', false],
  ['my secrets/**', 'deny', '/p/my secrets/key', true],
  ['foo (copy)/x.txt', 'deny', '/p/foo (copy)/x.txt', true],
  // A folder and what is in it.
  ['private/', 'deny', '/p/private/x', true],
  ['private/', 'deny', '/p/private', true],
  ['private/', 'allow', '/p/private', false],
  ['secrets', 'deny', '/p/secrets/a/b', true],
  ['secrets/**', 'deny', '/p/secrets', false],
])('%s (%s) against %s: %s', (text, list, path, expected) => {
  expect(matchesPath(pattern(text, list), path)).toBe(expected);
});

test('folds case where the volume does, in the pattern and in the path', () => {
  const folding = { ...unix, foldsCase: true };
  expect(matchesPath(pattern('./secrets/**', 'deny', folding), '/P/Secrets/Key')).toBe(true);
  expect(matchesPath(pattern('./Secrets/**', 'deny', folding), '/p/sEcrets/Key')).toBe(true);
  expect(matchesPath(pattern('./secrets/**', 'deny'), '/p/Secrets/Key')).toBe(false);
});

test('treats all spellings of a name on Windows as one name', () => {
  const windows = { foldsCase: true, windows: true };
  const denied = pattern('./secrets/**', 'deny', windows, { ...anchors, project: ['C:\\proj'] });
  for (const path of [
    'C:\\proj\\secrets\\key',
    '\\\\?\\C:\\proj\\secrets\\key',
    'c:/PROJ/secrets./key',
    'C:\\proj\\secrets::$DATA\\key',
  ]) {
    expect(matchesPath(denied, path)).toBe(true);
  }
  expect(matchesPath(pattern('C:\\x\\**', 'deny', windows), 'c:\\x\\y')).toBe(true);
});

test('a deny pattern also matches the target of a link in its first part, an allow pattern does not', () => {
  const linked = { ...anchors, realName: (folder: string) => folder.replace('/p/link', '/elsewhere') };
  expect(matchesPath(pattern('./link/**', 'deny', unix, linked), '/elsewhere/key')).toBe(true);
  expect(matchesPath(pattern('./link/**', 'allow', unix, linked), '/elsewhere/key')).toBe(false);
});

test('says why ".." behind a wildcard can never match', () => {
  expect(parsePathPattern('*/../x', { list: 'deny', anchors, style: unix })).toMatchObject({
    ok: false,
    problem: '"*/../x" goes up with ".." behind a wildcard, so it can never match',
  });
});

test.each<[string, string, boolean, boolean]>([
  ['./secrets/**', '/p/secrets', true, true],
  ['./secrets/**', '/p', false, true],
  ['./secrets/**', '/', false, true],
  ['./secrets/**', '/p/src', false, false],
  ['.env', '/p/src', false, true],
  ['./.env', '/p/src', false, false],
  ['src/**/*.pem', '/p/src/deep', false, true],
  ['src/**/*.pem', '/p/other', false, false],
])('%s against the tree %s: all of it %s, a part of it %s', (text, root, all, part) => {
  expect(matchesTree(pattern(text, 'deny'), root)).toBe(all);
  expect(mayMatchBelow(pattern(text, 'deny'), root)).toBe(part);
});

test.each<[string, string, boolean]>([
  ['./.env', '/p/.e*', true],
  ['./.env', '/p/.?nv', true],
  ['./.env', '/p/*.ts', false],
  ['.env', '/p/src/*.ts', false],
  ['.env', '/p/*/.en[v]', true],
  ['./.env', '/p/*', false], // the shell's star leaves hidden files alone
  ['./secrets/**', '/p/s*/key', true],
  ['./secrets/**', '/p/src/*', false],
  ['*.pem', '/p/a*', true],
  ['./.env', '/other/.e*', false],
])('%s against the glob %s of a shell: %s', (text, glob, expected) => {
  expect(mayMatchGlob(pattern(text, 'deny'), glob)).toBe(expected);
});

const name = fc.stringMatching(/^[ab.]{1,3}$/).filter((text) => !/^\.+$/.test(text));
const glob = fc.stringMatching(/^[ab.*?]{1,4}$/).filter((text) => !/^\.+$/.test(text) && !text.includes('**'));
const globs = fc.array(fc.oneof(glob, fc.constant('**')), { minLength: 1, maxLength: 4 });

test("agrees with git's own matching of gitignore patterns", () => {
  fc.assert(
    fc.property(globs, fc.boolean(), fc.array(name, { minLength: 1, maxLength: 4 }), (parts, isFolder, names) => {
      const text = parts.join('/') + (isFolder ? '/' : '');
      const path = names.join('/');
      expect([text, path, matchesPath(pattern(text), `/p/${path}`)]).toEqual([
        text,
        path,
        ignore({ ignorecase: false }).add(text).ignores(path),
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test('an escaped path matches itself and no other path of the same depth', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a*?[\]!#\\^]{1,6}$/), fc.stringMatching(/^[a*?[\]!#\\^]{1,6}$/), (one, other) => {
      const escaped = pattern(`//${escapePath(one)}`);
      expect(matchesPath(escaped, `/${one}`)).toBe(true);
      expect(matchesPath(escaped, `/${other}`)).toBe(one === other);
    }),
  );
});

test('takes time proportional to the product of the lengths at most', () => {
  const hard = pattern(`//${'*a'.repeat(100)}b`);
  expect(matchesPath(hard, `/${'a'.repeat(250)}`)).toBe(false);
  expect(mayMatchGlob(pattern(`//${'*a'.repeat(60)}b`, 'deny'), `/${'*a'.repeat(60)}c`)).toBe(false);
});
