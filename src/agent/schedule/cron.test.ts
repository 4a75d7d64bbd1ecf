import { afterEach, beforeEach, expect, test } from 'vitest';
import { nextTime, parseCron } from './cron.js';

const zone = process.env['TZ'];
beforeEach(() => {
  process.env['TZ'] = 'Europe/Berlin';
});
afterEach(() => {
  if (zone === undefined) delete process.env['TZ'];
  else process.env['TZ'] = zone;
});

const shown = (at: Date): string => at.toLocaleString('sv').slice(0, 16);

/** The next times after a local time. */
function timesOf(line: string, after: string, count = 3): string[] {
  const cron = parseCron(line, new Date(after));
  if ('problem' in cron) throw new Error(cron.problem);
  const times: string[] = [];
  let at: Date | undefined = new Date(after);
  for (let number = 0; number < count; number += 1) {
    at = nextTime(cron, at);
    if (!at) break;
    times.push(shown(at));
  }
  return times;
}

test.each([
  ['0 9 * * 1-5', '2026-11-20T09:00', ['2026-11-23 09:00', '2026-11-24 09:00', '2026-11-25 09:00']],
  ['0 9 * * mon-fri', '2026-11-20T08:59', ['2026-11-20 09:00', '2026-11-23 09:00', '2026-11-24 09:00']],
  ['*/30 * * * *', '2026-11-20T23:45', ['2026-11-21 00:00', '2026-11-21 00:30', '2026-11-21 01:00']],
  ['5,35 8/6 * * *', '2026-11-20T20:10', ['2026-11-20 20:35', '2026-11-21 08:05', '2026-11-21 08:35']],
  ['0 0 13 * 5', '2026-11-09T00:00', ['2026-11-13 00:00', '2026-11-20 00:00', '2026-11-27 00:00']],
  ['0 0 */10 * *', '2026-11-20T00:00', ['2026-11-21 00:00', '2026-12-01 00:00', '2026-12-11 00:00']],
  ['0 12 * * 7', '2026-11-20T00:00', ['2026-11-22 12:00', '2026-11-29 12:00', '2026-12-06 12:00']],
  ['0 0 29 feb *', '2026-01-01T00:00', ['2028-02-29 00:00', '2032-02-29 00:00', '2036-02-29 00:00']],
  ['@weekly', '2026-11-20T00:00', ['2026-11-22 00:00', '2026-11-29 00:00', '2026-12-06 00:00']],
])('%s after %s', (line, after, times) => {
  expect(timesOf(line, after)).toEqual(times);
});

test('a time that the clocks skip runs right after it, and one that they repeat runs once', () => {
  expect(timesOf('30 2 * * *', '2026-03-28T03:00', 2)).toEqual(['2026-03-29 03:00', '2026-03-30 02:30']);
  expect(timesOf('30 2 * * *', '2026-10-24T03:00', 2)).toEqual(['2026-10-25 02:30', '2026-10-26 02:30']);
});

test('a line for every hour runs in each real hour', () => {
  expect(timesOf('0 * * * *', '2026-10-25T01:00', 4)).toEqual([
    '2026-10-25 02:00',
    '2026-10-25 02:00',
    '2026-10-25 03:00',
    '2026-10-25 04:00',
  ]);
  expect(timesOf('0 * * * *', '2026-03-29T01:00', 2)).toEqual(['2026-03-29 03:00', '2026-03-29 04:00']);
});

test('a line in UTC does not know the zone of the machine', () => {
  const cron = parseCron('30 2 * * *', new Date(), 'utc');
  if ('problem' in cron) throw new Error(cron.problem);
  expect(nextTime(cron, new Date('2026-03-28T03:00Z'), 'utc')?.toISOString()).toBe('2026-03-29T02:30:00.000Z');
});

test('a day without midnight is found', () => {
  process.env['TZ'] = 'America/Santiago';
  expect(timesOf('0 0 * * *', '2026-09-05T12:00', 2)).toEqual(['2026-09-06 01:00', '2026-09-07 00:00']);
});

test.each([
  ['0 9 * *', 'has 4 fields'],
  ['', 'has 0 fields'],
  ['0 9 30 2 *', 'never fires'],
  ['60 * * * *', '"60" is not a minute: it takes 0 to 59'],
  ['* * * * fri-mon', '"fri-mon" is not a day of the week: it takes 0 to 7 or sun to sat'],
  ['*/0 * * * *', '"*/0" is not a minute'],
  ['1-2-3 * * * *', '"1-2-3" is not a minute'],
  ['* * 0 * *', '"0" is not a day of the month'],
  ['* * * jann *', '"jann" is not a month'],
  ['a, * * * *', 'is not a minute'],
])('"%s" is refused', (line, problem) => {
  expect(parseCron(line)).toEqual({ problem: expect.stringContaining(problem) });
});
