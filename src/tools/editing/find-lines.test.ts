import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLines } from './find-lines.js';
import { textLines } from './text-lines.js';

test('finds whole lines only, whatever ends them', () => {
  expect(findLines(textLines('ba\na\r\na\rab'), ['a', 'a'])).toEqual({ starts: [2], how: 'exact' });
  expect(findLines(textLines('a\n\n\nb'), ['', ''])).toEqual({ starts: [2], how: 'exact' });
});

test('lets straight quotes stand for typographic ones where the lines are nowhere as sent', () => {
  expect(findLines(textLines('‘x’\n"y"\n“y”\n'), ['"y"'])).toEqual({ starts: [2], how: 'exact' });
  expect(findLines(textLines('‘x’\n"y"\n'), ["'x'", '“y”'])).toEqual({ starts: [1], how: 'quotes' });
});

test('finds the same places as a look at each line', () => {
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
