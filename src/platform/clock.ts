/** The longest delay of a timer; with more, it would fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Monotonic time in milliseconds, with fractions. Loading the platform's `performance` takes longer. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** Wall-clock time in milliseconds since the epoch, with fractions, that never goes back during use. */
export function steadyClock(): () => number {
  const origin = Date.now() - monotonicMs();
  return () => origin + monotonicMs();
}
