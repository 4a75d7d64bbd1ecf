import { stat, utimes, writeFile } from 'node:fs/promises';

export const CLEAN_UP_EVERY_MS = 24 * 3_600_000;

/**
 * Whether old data is to be removed now: once a day, based on the marker file's timestamp, which is then updated.
 * Ages are measured at the previous clean-up, so only data that was already old then is removed: a single start with
 * a clock that runs ahead removes nothing, and neither does the very first clean-up. A marker with a future timestamp
 * was set by such a clock and is ignored.
 */
export async function isCleanUpDue(marker: string, now: number): Promise<{ countedFrom: number } | undefined> {
  const last = (await stat(marker).catch(() => undefined))?.mtimeMs;
  if (last !== undefined && last <= now && now - last < CLEAN_UP_EVERY_MS) return undefined;
  await writeFile(marker, '', { mode: 0o600 });
  await utimes(marker, new Date(now), new Date(now));
  return { countedFrom: last === undefined || last > now ? 0 : last };
}
