/** A duration for people, as short as it can be: "1.9s", "12s", "2m 5s", "1h 3m". */
export function shortDuration(milliseconds: number): string {
  const tenths = Math.floor(milliseconds / 100) / 10;
  if (tenths < 10) return `${tenths}s`;
  const seconds = Math.floor(milliseconds / 1000);
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  return `${Math.floor(seconds / 3600)}h ${Math.floor((seconds % 3600) / 60)}m`;
}
