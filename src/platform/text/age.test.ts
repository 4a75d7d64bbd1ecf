import { expect, test } from 'vitest';
import { shownAge } from './age.js';

const now = new Date('2026-05-10T12:00:00Z');

test.each([
  ['2026-05-10T12:00:30Z', 'just now'], // a clock that is ahead
  ['2026-05-10T11:59:01Z', 'just now'],
  ['2026-05-10T11:59:00Z', '1 min ago'],
  ['2026-05-10T09:01:00Z', '2 h ago'],
  ['2026-05-09T11:00:00Z', '1 day ago'],
  ['2026-04-10T12:00:00Z', '30 days ago'],
])('the age of %s is %s', (then, age) => {
  expect(shownAge(new Date(then), now)).toBe(age);
});
