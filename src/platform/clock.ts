/** Milliseconds, with fractions, on a clock that only goes forward. The platform's `performance` takes longer to load. */
export function monotonicMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/** The time of day in milliseconds since the epoch, with fractions, that never goes back while it is used. */
export function steadyClock(): () => number {
  const origin = Date.now() - monotonicMs();
  return () => origin + monotonicMs();
}
