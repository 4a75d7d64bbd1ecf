import fc from 'fast-check';
import { expect, test } from 'vitest';
import { choosePages, MAX_PAGES } from './page-choice.js';

test.each([
  ['3', [3]],
  ['1-5', [1, 2, 3, 4, 5]],
  ['2,4-6', [2, 4, 5, 6]],
  [' 4 - 6 , 2 ', [2, 4, 5, 6]],
  ['2,2,1-3', [1, 2, 3]],
  ['28-40', [28, 29, 30]],
  ['28-', [28, 29, 30]],
])('of 30 pages, %j selects %j', (choice, pages) => {
  expect(choosePages(choice, 30)).toEqual(pages);
});

test.each([
  ['all', /^pages must be like/],
  ['', /^pages must be like/],
  ['1..3', /^pages must be like/],
  ['-3', /^pages must be like/],
  ['0', /^pages are counted from 1/],
  ['5-3', /^pages are counted from 1/],
  ['31', /^there is no page 31: there are 30 pages/],
  ['1-21', /^at most 20 pages/],
  ['1-999999999', /^at most 20 pages/],
])('an invalid choice, %j, returns an error message', (choice, sentence) => {
  expect(choosePages(choice, 30)).toMatch(sentence);
});

test('selected pages always exist, ascend and stay within the limit', () => {
  const range = fc.tuple(fc.nat(40), fc.nat(40)).map(([one, other]) => `${one}-${other}`);
  fc.assert(
    fc.property(
      fc.array(fc.oneof(range, fc.nat(40).map(String)), { minLength: 1 }),
      fc.integer({ min: 1, max: 40 }),
      (parts, total) => {
        const pages = choosePages(parts.join(','), total);
        if (typeof pages === 'string') return;
        expect(pages.length).toBeLessThanOrEqual(MAX_PAGES);
        expect(pages.every((page, index) => page >= 1 && page <= total && page > (pages[index - 1] ?? 0))).toBe(true);
      },
    ),
  );
});
