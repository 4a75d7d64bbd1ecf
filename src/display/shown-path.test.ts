import { expect, test } from 'vitest';
import { shownPath, withShownPaths } from './shown-path.js';

const places = { root: '/home/ada/tally', home: '/home/ada' };

test.each([
  ['/home/ada/tally/src/a.ts', 'src/a.ts'],
  ['/home/ada/tally', '.'],
  ['/home/ada/other/a.ts', '~/other/a.ts'],
  ['/home/ada/tally-old/a.ts', '~/tally-old/a.ts'],
  ['/home/adam/a.ts', '/home/adam/a.ts'],
  ['src/a.ts', 'src/a.ts'],
])('shows %s as %s', (path, shown) => {
  expect(shownPath(path, places)).toBe(shown);
});

test.each([
  ['/home/ada/tally/src/a.ts was not read', 'src/a.ts was not read'],
  ['ls /home/ada/tally && cat "/home/ada/tally/a b"', 'ls . && cat "a b"'],
  ['ls /home/ada/tally/', 'ls .'],
  ['in /home/ada/.helve and /home/adam', 'in ~/.helve and /home/adam'],
  ['/mnt/home/ada/tally/x', '/mnt/home/ada/tally/x'],
  ['/home/ada/tally-old/x', '~/tally-old/x'],
])('shortens paths in %s', (text, shown) => {
  expect(withShownPaths(text, places)).toBe(shown);
});

test('the folder of a cd stays as it was written', () => {
  const shown = (text: string) => withShownPaths(text, { root: '/work/shop', home: '/home/me' });
  expect(shown('cd /work/shop && cat /work/shop/a.txt')).toBe('cd /work/shop && cat a.txt');
  expect(shown('cd "/work/shop/src" && ls')).toBe('cd "/work/shop/src" && ls');
});
