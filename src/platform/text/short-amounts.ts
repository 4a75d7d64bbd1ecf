/** 1234 as `1.2k`. */
export function shortCount(count: number): string {
  if (count < 1000) return String(Math.round(count));
  if (count < 999_500) return `${withoutZero(count / 1000)}k`;
  return `${withoutZero(count / 1_000_000)}M`;
}

const withoutZero = (value: number): string =>
  value < 10 ? value.toFixed(1).replace(/\.0$/, '') : String(Math.round(value));

/** 75,000 as `1m 15s`. */
export function shortTime(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
}

export const shortCost = (dollars: number): string => `$${dollars < 10 ? dollars.toFixed(2) : dollars.toFixed(1)}`;
