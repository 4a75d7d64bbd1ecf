import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesShown } from './lines-shown.js';
import { textLines } from './match/text-lines.js';

const text = textLines('import a\n\nfunction f() {\n  one();\n}\n\nfunction g() {\n  two();\n}\n');

test.each([
  ['the whole text', text.raw, 'all'],
  ['the whole text, without what ends it', text.raw.trimEnd(), 'all'],
  ['the whole text among other words', `==> a <==\n${text.raw}\nend`, 'all'],
  ['lines that are next to one that is there once', '\nfunction f() {\n  one();\n}\n', [[2, 6]]],
  ['lines that are there twice', '}\n\n}', []],
  ['a line that is cut', 'function f(', []],
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
])('finds in an output: %s', (_, output, lines) => {
  expect(linesShown(text, output, { name: 'a.ts' })).toEqual(lines);
});

test('takes a blank or a plus before a line for one of a patch only where the caller says so', () => {
  expect(linesShown(text, '@@ -3 +3 @@\n function f() {\n+  one();')).toEqual([]);
  expect(linesShown(text, '@@ -3 +3 @@\n function f() {\n+  one();', { isPatch: true })).toEqual([[3, 4]]);
});

test('counts no line that is not in the output, and all of those that are there once', () => {
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
