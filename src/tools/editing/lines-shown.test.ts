import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesShown } from './lines-shown.js';
import { textLines } from './match/text-lines.js';

const text = textLines('import a\n\nfunction f() {\n  one();\n}\n\nfunction g() {\n  two();\n}\n');

test.each([
  ['the whole text', text.raw, 'all'],
  ['the whole text, without its last line ending', text.raw.trimEnd(), 'all'],
  ['the whole text among other words', `==> a <==\n${text.raw}\nend`, 'all'],
  ['lines next to a unique one', '\nfunction f() {\n  one();\n}\n', [[2, 6]]],
  ['lines that occur twice', '}\n\n}', []],
  ['a truncated line', 'function f(', []],
  [
    'lines with their numbers',
    '     5\t}\n     9\t}',
    [
      [5, 5],
      [9, 9],
    ],
  ],
  [
    'lines with numbers as grep writes them',
    '5:}\n8-  two();',
    [
      [5, 5],
      [8, 8],
    ],
  ],
  ['a number of another line', '     4\t}', []],
  ['names and numbers', 'src/a.ts:7:function g() {\nsrc/a.ts-8-  two();', [[7, 8]]],
  ['names alone', 'a.ts:function g() {', [[7, 7]]],
  [
    'numbers of lines that are not blank',
    '     1\timport a\n       \n     2\tfunction f() {\n     3\t  one();',
    [
      [1, 1],
      [3, 4],
    ],
  ],
  ['carriage returns', 'function f() {\r\n  one();\r\n', [[3, 4]]],
  ['nothing', '', []],
])('finds lines of a file in an output: %s', (_, output, lines) => {
  expect(linesShown(text, output, { name: 'a.ts' })).toEqual(lines);
});

test('accepts a space or a plus before a line only for patches', () => {
  expect(linesShown(text, '@@ -3 +3 @@\n function f() {\n+  one();')).toEqual([]);
  expect(linesShown(text, '@@ -3 +3 @@\n function f() {\n+  one();', { isPatch: true })).toEqual([[3, 4]]);
});

test('counts only lines that are in the output, and every unique one of them', () => {
  const line = fc.constantFrom('a', 'b', 'c', 'd', '', '  e', '}', '1\tx');
  fc.assert(
    fc.property(fc.array(line, { maxLength: 12 }), fc.array(line, { maxLength: 12 }), (lines, output) => {
      const seen = linesShown(textLines(lines.map((one) => `${one}\n`).join('')), output.join('\n'));
      const isSeen = (number: number): boolean =>
        seen === 'all' || seen.some(([first, last]) => first <= number && number <= last);
      for (const [index, one] of lines.entries()) {
        const isOnly = lines.filter((other) => other === one).length === 1;
        if (isSeen(index + 1) && one !== '') expect(output).toContain(one);
        if (isOnly && output.includes(one) && one !== '') expect(isSeen(index + 1)).toBe(true);
      }
    }),
  );
});
