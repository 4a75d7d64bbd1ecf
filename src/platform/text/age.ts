import { counted } from './counted.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The time since then, in the largest unit that fits. */
export function shownAge(then: Date, now: Date): string {
  const passed = now.getTime() - then.getTime();
  if (passed < MINUTE) return 'just now';
  if (passed < HOUR) return `${Math.floor(passed / MINUTE)} min ago`;
  if (passed < DAY) return `${Math.floor(passed / HOUR)} h ago`;
  return `${counted(Math.floor(passed / DAY), 'day')} ago`;
}
