// Prompts that run at times of the day or the week: one private file in the data folder. `takeDue` records a time as taken
// before it returns it, so that a killed process never runs one twice.

import { join } from 'node:path';
import * as z from 'zod';
import { UserFacingError } from '../../contract/user-facing-error.js';
import { randomHex } from '../../platform/crypto.js';
import { readPrivateFile, withLock, writePrivateFile } from '../../platform/files/private-file.js';
import { messageOf } from '../../platform/message-of.js';
import { readJson } from '../../platform/parse-json.js';
import { type Cron, nextTime, parseCron } from './cron.js';

const DAY_MS = 24 * 3_600_000;

const schedule = z.strictObject({
  id: z.string(),
  cron: z.string(),
  prompt: z.string(),
  /** The folder that the prompt runs in. */
  root: z.string(),
  /** Options of `helve -p`: the model, the mode, the budget. */
  options: z.array(z.string()),
  /** ISO 8601. */
  created: z.string(),
  /** The last time that was taken to run. */
  taken: z.string().optional(),
  /** What came of the time in `taken`. */
  last: z
    .strictObject({
      /** `taken`: it has not started; if that stays so, the process that took it was killed. */
      outcome: z.enum(['taken', 'started', 'failed']),
      /** The background session that runs it. */
      session: z.string().optional(),
      /** Why it failed. */
      problem: z.string().optional(),
    })
    .optional(),
  /** Why a time that has come waits. */
  held: z.string().optional(),
});

const file = z.strictObject({ schedules: z.array(schedule) });

/** A prompt with its times. */
export type Schedule = z.output<typeof schedule>;

/** A time of a schedule that has come. */
export interface DueSchedule {
  schedule: Schedule;
  /** The latest of its times. */
  dueAt: Date;
  /** How many earlier times were missed, as while the machine slept; they are not run. At most 1,000 are counted. */
  missed: number;
}

const pathOf = (dataFolder: string): string => join(dataFolder, 'schedules.json');

/** The file of schedules can't be used; the message is for the person. */
class ScheduleProblem extends UserFacingError {
  override readonly name = 'ScheduleProblem';
}

/** All schedules. Throws `ScheduleProblem` if the file can't be read or understood. */
export function readSchedules(dataFolder: string): Schedule[] {
  const path = pathOf(dataFolder);
  let text: string | undefined;
  try {
    text = readPrivateFile(path);
  } catch (error) {
    throw new ScheduleProblem(`The schedules in ${path} can't be read: ${messageOf(error)}.`, { cause: error });
  }
  if (text === undefined) return [];
  const { value, problem } = readJson(text);
  const checked = file.safeParse(value);
  if (checked.success) return checked.data.schedules;
  throw new ScheduleProblem(
    `${path} is damaged (${problem ?? 'it does not have the form of schedules'}), so nothing scheduled runs. Correct or remove it.`,
  );
}

const changeSchedules = async <Result>(
  dataFolder: string,
  change: (schedules: Schedule[]) => { schedules: Schedule[]; result: Result },
): Promise<Result> =>
  await withLock(`${pathOf(dataFolder)}.lock`, async () => {
    const before = readSchedules(dataFolder);
    const { schedules, result } = change(before);
    if (schedules !== before)
      await writePrivateFile(pathOf(dataFolder), `${JSON.stringify({ schedules }, undefined, 2)}\n`);
    return result;
  });

/** The line must be a valid one: see `parseCron`. */
export async function addSchedule(
  dataFolder: string,
  given: Pick<Schedule, 'cron' | 'prompt' | 'root' | 'options'>,
  now = new Date(),
): Promise<Schedule> {
  return await changeSchedules(dataFolder, (schedules) => {
    const added: Schedule = { id: randomHex(3), ...given, created: now.toISOString() };
    return { schedules: [...schedules, added], result: added };
  });
}

/** False if there is none with this id. */
export const removeSchedule = async (dataFolder: string, id: string): Promise<boolean> =>
  await changeSchedules(dataFolder, (schedules) => {
    const kept = schedules.filter((one) => one.id !== id);
    return { schedules: kept.length === schedules.length ? schedules : kept, result: kept.length < schedules.length };
  });

/** Records what came of the time that was taken last, or why the next one waits. */
export const noteSchedule = async (
  dataFolder: string,
  id: string,
  note: Pick<Schedule, 'last'> | Pick<Schedule, 'held'>,
): Promise<void> =>
  await changeSchedules(dataFolder, (schedules) => ({
    schedules: schedules.map((one) => (one.id === id ? { ...one, ...note } : one)),
    result: undefined,
  }));

/**
 * The next schedule whose time had come by then and has not been taken; undefined if there is none. The time is recorded
 * as taken before this resolves, and is returned to one caller only. Of times that were missed, the latest runs. One at a
 * time: a process that is killed while a prompt runs leaves the other schedules due. With `sessions`, only the schedules
 * in it are taken, each for the session with that id.
 */
export const takeDue = async (
  dataFolder: string,
  now = new Date(),
  sessions?: ReadonlyMap<string, string>,
): Promise<DueSchedule | undefined> =>
  await changeSchedules(dataFolder, (schedules) => {
    for (const [index, one] of schedules.entries()) {
      const found = latestDue(one, now);
      if (!found || sessions?.has(one.id) === false) continue;
      const { held: _, ...rest } = one;
      const session = sessions?.get(one.id);
      const last = { outcome: 'taken' as const, ...(session !== undefined && { session }) };
      const taken: Schedule = { ...rest, taken: found.dueAt.toISOString(), last };
      return { schedules: schedules.with(index, taken), result: { schedule: taken, ...found } };
    }
    return { schedules, result: undefined };
  });

/** The next time of the schedule, which has passed already if it was missed. */
export function nextOf(one: Schedule, now: Date): Date | undefined {
  const cron = cronOf(one);
  return cron && nextTime(cron, sinceOf(one, now));
}

function latestDue(one: Schedule, now: Date): { dueAt: Date; missed: number } | undefined {
  const cron = cronOf(one);
  if (!cron) return undefined;
  let dueAt: Date | undefined;
  let count = 0;
  const since = sinceOf(one, now);
  for (let next = nextTime(cron, since); next && next <= now; next = nextTime(cron, next)) {
    dueAt = next;
    count += 1;
    if (count < 1000) continue;
    dueAt = now; // after a long sleep: which of its times it was says nothing
    break;
  }
  return dueAt && { dueAt, missed: count - 1 };
}

const cronOf = ({ cron }: Schedule): Cron | undefined => {
  const read = parseCron(cron);
  return 'problem' in read ? undefined : read;
};

/** A clock that was far ahead when the schedule last ran must not keep it from running until then. */
function sinceOf({ taken, created }: Schedule, now: Date): Date {
  const last = new Date(taken ?? created);
  return Number.isNaN(last.getTime()) || last.getTime() > now.getTime() + DAY_MS ? now : last;
}
