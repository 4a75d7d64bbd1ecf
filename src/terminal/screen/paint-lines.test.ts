import { expect, test } from 'vitest';
import { withoutBlankEnd } from './paint-lines.js';

test.each([
  ['words   ', 'words'],
  ['\u001b[38;5;44mwords\u001b[39m   ', '\u001b[38;5;44mwords\u001b[39m'],
  ['\u001b[1mwords   \u001b[22m', '\u001b[1mwords\u001b[22m'],
  ['\u001b[48;5;44mwords   \u001b[49m', '\u001b[48;5;44mwords   \u001b[49m'],
  ['\u001b[1;7mwords   \u001b[0m', '\u001b[1;7mwords   \u001b[0m'],
  ['   words', '   words'],
])('trailing blanks are not written: %j', (line, written) => {
  expect(withoutBlankEnd(line)).toBe(written);
});
