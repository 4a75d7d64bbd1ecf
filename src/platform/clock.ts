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
