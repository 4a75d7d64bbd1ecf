const two = (number: number): string => String(number).padStart(2, '0');

/** To the minute, as people read it where they are. */
export function localMinute(date: Date): string {
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** To the second. What is no time is given back as it is. */
export function localSecond(time: string | number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? String(time) : `${localMinute(date)}:${two(date.getSeconds())}`;
}
