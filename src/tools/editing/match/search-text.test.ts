import fc from 'fast-check';
import { expect, test } from 'vitest';
import { searchText } from './search-text.js';

const found = (text: string, sought: string, alike: Parameters<typeof searchText>[2], limit = 100): string[] =>
  searchText(text, sought, alike, limit).matches.map(({ start, end }) => `${start}-${end}`);

test('finds the same places as String.indexOf', () => {
  const letters = (maxLength: number) =>
    fc.array(fc.constantFrom('a', 'b', '\n', '\r'), { minLength: 1, maxLength }).map((all) => all.join(''));
  fc.assert(
    fc.property(letters(30), letters(4), (text, sought) => {
      const places: string[] = [];
      for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + sought.length)) {
        places.push(`${at}-${at + sought.length}`);
      }
      expect(found(text, sought, 'nothing')).toEqual(places);
    }),
    { numRuns: 1_000 },
  );
});

test('matches any line ending with any other, and never splits one', () => {
  expect(found('a\r\nb\rc\nd', '\n', 'endings')).toEqual(['1-3', '4-5', '6-7']);
  expect(found('a\r\nb\rc\nd', 'b\r\nc', 'endings')).toEqual(['3-6']);
  expect(found('a\r\n\r\nb', '\n\n', 'endings')).toEqual(['1-5']);
  expect(found('a\r\n', '\r', 'nothing')).toEqual(['1-2']);
});

test('matches straight quotes with typographic ones only if requested', () => {
  expect(found('“a” ‘b’', `"a" 'b'`, 'endings and quotes')).toEqual(['0-7']);
  expect(found('“a” ‘b’', `"a" 'b'`, 'endings')).toEqual([]);
});

test('reports that a text overlaps itself, and that there are more matches', () => {
  expect(searchText('aaa', 'aa', 'nothing', 9)).toEqual({
    matches: [{ start: 0, end: 2 }],
    hasMore: false,
    overlaps: true,
  });
  expect(searchText('abab', 'ab', 'nothing', 1)).toEqual({
    matches: [{ start: 0, end: 2 }],
    hasMore: true,
    overlaps: false,
  });
});

test('finds nothing for an empty text', () => {
  expect(searchText('abc', '', 'endings', 9).matches).toEqual([]);
});

test('takes linear time for texts that are hard to distinguish', () => {
  const half = 'a'.repeat(250_000);
  expect(found('a'.repeat(3_000_000), `${half}b${half}`, 'nothing')).toEqual([]);
});
