import { exitCode } from './exit-codes.js';

export interface Signals {
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
  /** What the process should exit with because of it. */
  readonly exitCode: number | undefined;
  dispose(): void;
}

/** The first signal ends the work in good order; a second one ends the process at once. */
export function onSignals(): Signals {
  const controller = new AbortController();
  let code: number | undefined;
  const handlers = (
    [
      ['SIGINT', exitCode.interrupted],
      ['SIGTERM', exitCode.terminated],
      ['SIGHUP', 129],
    ] as const
  ).map(([name, exit]) => {
    const handler = () => {
      if (code !== undefined) process.exit(exit);
      code = exit;
      controller.abort(new Error(`Stopped by ${name}.`));
    };
    process.on(name, handler);
    return () => process.off(name, handler);
  });
  return {
    signal: controller.signal,
    get exitCode() {
      return code;
    },
    dispose() {
      for (const remove of handlers) remove();
    },
  };
}
