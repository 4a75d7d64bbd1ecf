import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addSchedule, nextOf, readSchedules, removeSchedule, takeDue } from './schedules.js';

const folder = (): string => mkdtempSync(join(tmpdir(), 'helve-schedules-'));
const daily = { cron: '0 9 * * *', prompt: 'look', root: '/', options: [] };
const at = (text: string): Date => new Date(text);

test('each time is due once, and of those that were missed the latest', async () => {
  const home = folder();
  const { id } = await addSchedule(home, daily, at('2026-11-18T10:00'));
  expect(await takeDue(home, at('2026-11-19T08:59'))).toBeUndefined();
  expect(await takeDue(home, at('2026-11-19T09:00'))).toMatchObject({ schedule: { id }, missed: 0 });
  expect(await takeDue(home, at('2026-11-19T09:00'))).toBeUndefined();
  const due = await takeDue(home, at('2026-11-22T12:00'));
  expect(due).toMatchObject({ dueAt: at('2026-11-22T09:00'), missed: 2 });
});

test('a time that was taken is recorded, so it does not run again after a crash', async () => {
  const home = folder();
  await addSchedule(home, daily, at('2026-11-18T10:00'));
  await takeDue(home, at('2026-11-19T09:01'));
  const [one] = readSchedules(home);
  expect(one?.taken).toBe(at('2026-11-19T09:00').toISOString());
});

test('a process that is killed while a prompt runs leaves the other schedules due', async () => {
  const home = folder();
  const [one, other] = [
    await addSchedule(home, daily, at('2026-11-18T10:00')),
    await addSchedule(home, daily, at('2026-11-18T10:00')),
  ];
  expect(await takeDue(home, at('2026-11-19T09:01'))).toMatchObject({ schedule: { id: one.id } });
  expect(await takeDue(home, at('2026-11-19T09:01'))).toMatchObject({ schedule: { id: other.id } });
  expect(await takeDue(home, at('2026-11-19T09:01'))).toBeUndefined();
});

test('of several processes one gets each time', async () => {
  const home = folder();
  await addSchedule(home, daily, at('2026-11-18T10:00'));
  const taken = await Promise.all(Array.from({ length: 5 }, () => takeDue(home, at('2026-11-19T09:01'))));
  expect(taken.filter((one) => one !== undefined)).toHaveLength(1);
});

test('a clock that was far ahead does not stop a schedule', async () => {
  const home = folder();
  await addSchedule(home, daily, at('2031-01-01T10:00'));
  const [one] = readSchedules(home);
  expect(one && nextOf(one, at('2026-11-19T10:00'))).toEqual(at('2026-11-20T09:00'));
});

test('a minute that was missed for a year runs once, and soon', async () => {
  const home = folder();
  await addSchedule(home, { ...daily, cron: '* * * * *' }, at('2025-01-01T00:00'));
  expect(await takeDue(home, at('2026-11-19T09:01'))).toMatchObject({ missed: 999 });
  expect(await takeDue(home, at('2026-11-19T09:01'))).toBeUndefined();
});

test('a schedule can be removed, and a damaged file is named', async () => {
  const home = folder();
  const { id } = await addSchedule(home, daily);
  expect([await removeSchedule(home, id), await removeSchedule(home, id)]).toEqual([true, false]);
  expect(readSchedules(home)).toEqual([]);
  writeFileSync(join(home, 'schedules.json'), '{"schedules": [{}]}', { mode: 0o600 });
  expect(() => readSchedules(home)).toThrow(/schedules\.json is damaged/);
});
