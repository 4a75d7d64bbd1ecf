import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FoundLines, lineFinder } from './find-lines.js';
import { type TextLines, textLines } from './text-lines.js';

const findLines = (text: TextLines, wanted: readonly string[]): FoundLines =>
  lineFinder(text, new Set(wanted), () => {}).find(wanted);

test('matches whole lines only, with any line ending', () => {
  expect(findLines(textLines('ba\na\r\na\rab'), ['a', 'a'])).toEqual({ starts: [2], how: 'exact' });
  expect(findLines(textLines('a\n\n\nb'), ['', ''])).toEqual({ starts: [2], how: 'exact' });
});

test('matches straight quotes with typographic ones if there is no exact match', () => {
  expect(findLines(textLines('‘x’\n"y"\n“y”\n'), ['"y"'])).toEqual({ starts: [2], how: 'exact' });
  expect(findLines(textLines('‘x’\n"y"\n'), ["'x'", '“y”'])).toEqual({ starts: [1], how: 'quotes' });
});

test('finds the same places as a comparison of each line', () => {
  const some = fc.array(fc.constantFrom('', 'a', 'b'), { maxLength: 12 });
  fc.assert(
    fc.property(some, fc.array(fc.constantFrom('', 'a', 'b'), { minLength: 1, maxLength: 4 }), (lines, wanted) => {
      const starts = lines.flatMap((_, at) =>
        at + wanted.length <= lines.length && wanted.every((line, index) => lines[at + index] === line) ? [at + 1] : [],
      );
      expect(findLines(textLines(lines.map((line) => `${line}\n`).join('')), wanted).starts).toEqual(starts);
    }),
  );
});

test('finds a line ignoring whitespace around it, and then ignoring the kind of quotes', () => {
  const finder = lineFinder(textLines('  a\nb\na \n\t“q”\n'), new Set(['a', '"q"', 'c']), () => {});
  expect(['a', '"q"', 'c'].map(finder.findReading)).toEqual([
    { starts: [1, 3], how: 'exact' },
    { starts: [4], how: 'quotes' },
    { starts: [], how: 'exact' },
  ]);
});

test('compares few lines if a sought line is rare, and each line once if all are equal', () => {
  const compared = (lines: readonly string[], wanted: readonly string[]): number => {
    let spent = 0;
    lineFinder(textLines(lines.join('\n')), new Set(wanted), (count) => {
      spent += count;
    }).find(wanted);
    return spent;
  };
  const alike = Array.from({ length: 1_000 }, () => 'x');
  expect(compared([...alike, 'rare', 'x'], ['x', 'rare', 'x'])).toBe(6);
  expect(
    compared(
      alike,
      Array.from({ length: 100 }, () => 'x'),
    ),
  ).toBe(1_100);
});
