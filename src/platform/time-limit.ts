export interface TimeLimit {
  /** Aborts with a `TimeoutError` when the time is up. */
  signal: AbortSignal;
  clear(): void;
}

/**
 * A limit for work that may keep nothing open, such as a callback of a program. The timer of `AbortSignal.timeout` does
 * not keep Node running: a program that waits for nothing else would exit before the time is up. Clear it at the end of
 * the work, or it delays the exit.
 */
export function timeLimit(ms: number): TimeLimit {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    ms,
  );
  return { signal: controller.signal, clear: () => clearTimeout(timer) };
}
