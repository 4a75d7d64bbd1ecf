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
  ['cd /home/ada/tally/', 'cd .'],
  ['in /home/ada/.helve and /home/adam', 'in ~/.helve and /home/adam'],
  ['/mnt/home/ada/tally/x', '/mnt/home/ada/tally/x'],
  ['/home/ada/tally-old/x', '~/tally-old/x'],
])('shortens paths in %s', (text, shown) => {
  expect(withShownPaths(text, places)).toBe(shown);
});
