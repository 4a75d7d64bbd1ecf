import { stat, utimes, writeFile } from 'node:fs/promises';

export const CLEAN_UP_EVERY_MS = 24 * 3_600_000;

/**
 * Whether old data is to be removed now: once a day, by the time of the marker file, which is set to now. Ages are counted
 * from the clean-up before this one, so that only what was old then is removed: one start with a clock that is ahead removes
 * nothing, and the first clean-up of all doesn't either. A marker from the future was set by such a clock, and does not count.
 */
export async function isCleanUpDue(marker: string, now: number): Promise<{ countedFrom: number } | undefined> {
  const last = (await stat(marker).catch(() => undefined))?.mtimeMs;
  if (last !== undefined && last <= now && now - last < CLEAN_UP_EVERY_MS) return undefined;
  await writeFile(marker, '', { mode: 0o600 });
  await utimes(marker, new Date(now), new Date(now));
  return { countedFrom: last === undefined || last > now ? 0 : last };
}
