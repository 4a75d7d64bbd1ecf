const two = (number: number): string => String(number).padStart(2, '0');

/** Local time to the minute. */
export function localMinute(date: Date): string {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Local time to the second. An invalid time is returned unchanged. */
export function localSecond(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : `${localMinute(date)}:${two(date.getSeconds())}`;
}
