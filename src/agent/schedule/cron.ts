// Cron lines of five fields, in the time zone of the machine or in UTC. Times that a change of the clocks skips run right after it;
// times that it repeats run once, unless the line runs in every hour anyway.
import { counted } from '../../platform/text/counted.js';

export type CronZone = 'local' | 'utc';

/** A parsed line: the values that each field allows. */
export interface Cron {
  minutes: ReadonlySet<number>;
  hours: ReadonlySet<number>;
  days: ReadonlySet<number>;
  months: ReadonlySet<number>;
  weekdays: ReadonlySet<number>;
  /** The field begins with `*`: if both do not, one of them is enough. */
  anyDay: boolean;
  anyWeekday: boolean;
  anyHour: boolean;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const shortForms: Readonly<Record<string, string>> = {
  '@hourly': '0 * * * *',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@weekly': '0 0 * * 0',
  '@monthly': '0 0 1 * *',
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
};

interface Field {
  name: string;
  from: number;
  to: number;
  /** Names for the values, from `from` on. */
  names?: readonly string[];
}

const fields = [
  { name: 'minute', from: 0, to: 59 },
  { name: 'hour', from: 0, to: 23 },
  { name: 'day of the month', from: 1, to: 31 },
  { name: 'month', from: 1, to: 12, names: monthNames },
  { name: 'day of the week', from: 0, to: 7, names: dayNames },
] as const satisfies readonly Field[];

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** The longest time between two 29ths of February. */
const LONGEST_YEARS = 8;

class BadCron extends Error {}

/** Parses a line, or says what is wrong with it. A line that never fires is wrong, too. */
export function parseCron(line: string, now = new Date(), zone: CronZone = 'local'): Cron | { problem: string } {
  try {
    const cron = parsed(line);
    if (nextTime(cron, now, zone)) return cron;
    return { problem: `"${line}" never fires: there is no such day.` };
  } catch (error) {
    if (error instanceof BadCron) return { problem: error.message };
    throw error;
  }
}

function parsed(line: string): Cron {
  const written = line.trim().toLowerCase();
  const texts = (shortForms[written] ?? written).split(/\s+/);
  if (written.startsWith('@') && texts.length === 1) {
    throw new BadCron(`There is no "${line}". There are: ${Object.keys(shortForms).join(', ')}.`);
  }
  if (texts.length !== fields.length || written === '') {
    throw new BadCron(
      `"${line}" has ${counted(written === '' ? 0 : texts.length, 'field')}, and a cron line has five, in one pair of quotes: minute, hour, day of the month, month, day of the week. "0 9 * * 1-5" is 9:00 from Monday to Friday.`,
    );
  }
  const [minute = '', hour = '', day = '', month = '', weekday = ''] = texts;
  const [minutes, hours, days, months, weekdays] = fields;
  return {
    minutes: valuesOf(minute, minutes),
    hours: valuesOf(hour, hours),
    days: valuesOf(day, days),
    months: valuesOf(month, months),
    weekdays: new Set([...valuesOf(weekday, weekdays)].map((value) => value % 7)), // 7 is Sunday too
    anyDay: day.startsWith('*'),
    anyWeekday: weekday.startsWith('*'),
    anyHour: hour.startsWith('*'),
  };
}

function valuesOf(text: string, field: Field): Set<number> {
  const values = new Set<number>();
  for (const part of text.split(',')) {
    const [, range = '', step] = /^([^/]+)(?:\/(\d{1,2}))?$/.exec(part) ?? [];
    const [first = '', last = step === undefined ? first : undefined] =
      range === '*' ? [undefined, undefined] : range.split('-');
    const isAny = range === '*';
    const from = isAny ? field.from : numberOf(first, field, part);
    const to = isAny || last === undefined ? field.to : numberOf(last, field, part);
    if (range.split('-').length > 2 || from > to || step === '0' || step === '00') throw badPart(part, field);
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return values;
}

function numberOf(text: string, field: Field, part: string): number {
  const named = field.names?.indexOf(text) ?? -1;
  const value = named >= 0 ? named + field.from : /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= field.from && value <= field.to) return value;
  throw badPart(part, field);
}

const badPart = (part: string, { name, from, to, names }: Field): BadCron =>
  new BadCron(
    `"${part}" is not a ${name}: it takes ${from} to ${to}${names ? ` or ${names[0]} to ${names.at(-1)}` : ''}, ranges as in 1-5, lists as in 1,3 and steps as in */10.`,
  );

/** The first time after this one at which the line fires; undefined if there is none. */
export function nextTime(cron: Cron, after: Date, zone: CronZone = 'local'): Date | undefined {
  const end = new Date(after).setFullYear(after.getFullYear() + LONGEST_YEARS) + 24 * HOUR;
  let time = Math.floor(after.getTime() / MINUTE) * MINUTE + MINUTE;
  while (time < end) {
    const at = new Date(time);
    const { hour, minute } = clockOf(at, zone);
    if (!isDay(cron, at, zone)) time = nextMidnight(at, zone);
    else if (zone === 'local' && isSkipped(cron, at)) return at;
    else if (!cron.hours.has(hour)) time += HOUR - minute * MINUTE;
    else if (!cron.minutes.has(minute) || (zone === 'local' && isRepeated(cron, at))) time += MINUTE;
    else return at;
  }
  return undefined;
}

const clockOf = (at: Date, zone: CronZone): { hour: number; minute: number } =>
  zone === 'utc'
    ? { hour: at.getUTCHours(), minute: at.getUTCMinutes() }
    : { hour: at.getHours(), minute: at.getMinutes() };

const dateOf = (at: Date, zone: CronZone): { month: number; date: number; weekdayNumber: number } =>
  zone === 'utc'
    ? { month: at.getUTCMonth(), date: at.getUTCDate(), weekdayNumber: at.getUTCDay() }
    : { month: at.getMonth(), date: at.getDate(), weekdayNumber: at.getDay() };

function isDay({ days, weekdays, months, anyDay, anyWeekday }: Cron, at: Date, zone: CronZone): boolean {
  const { month, date, weekdayNumber } = dateOf(at, zone);
  if (!months.has(month + 1)) return false;
  const [day, weekday] = [days.has(date), weekdays.has(weekdayNumber)];
  return anyDay || anyWeekday ? day && weekday : day || weekday;
}

/** Always later, also where midnight does not exist. */
function nextMidnight(at: Date, zone: CronZone): number {
  if (zone === 'utc') return Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate() + 1);
  const midnight = new Date(at.getFullYear(), at.getMonth(), at.getDate() + 1).getTime();
  return midnight > at.getTime() ? midnight : at.getTime() + HOUR;
}

/** The clocks have just been put forward, over a time at which the line would have fired. */
function isSkipped({ hours, minutes, anyHour }: Cron, at: Date): boolean {
  if (anyHour) return false;
  const skipped = new Date(at.getTime() - MINUTE).getTimezoneOffset() - at.getTimezoneOffset();
  for (let back = 1; back <= skipped; back += 1) {
    const total = (at.getHours() * 60 + at.getMinutes() - back + 24 * 60) % (24 * 60);
    if (hours.has(Math.floor(total / 60)) && minutes.has(total % 60)) return true;
  }
  return false;
}

/** The clocks were put back, and the line has fired at this time already. */
function isRepeated({ anyHour }: Cron, at: Date): boolean {
  if (anyHour) return false;
  const before = new Date(at.getTime() - 3 * HOUR);
  const repeated = at.getTimezoneOffset() - before.getTimezoneOffset();
  if (repeated <= 0) return false;
  const first = new Date(at.getTime() - repeated * MINUTE);
  return first.getHours() === at.getHours() && first.getMinutes() === at.getMinutes();
}
