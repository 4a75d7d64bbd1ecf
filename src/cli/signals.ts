import { exitCode } from './exit-codes.js';

export interface Signals {
  /** Aborts on the first SIGINT, SIGTERM or SIGHUP, and when the reader of our output has closed it. */
  readonly signal: AbortSignal;
  /** The exit code if a signal ended the process. */
  readonly exitCode: number | undefined;
  dispose(): void;
}

/** The first signal ends the work in order; a second one exits at once, after `killAll` has ended child processes. */
export function onSignals(killAll: () => void): Signals {
  const controller = new AbortController();
  let code: number | undefined;
  const handlers = (
    [
      ['SIGINT', exitCode.interrupted],
      ['SIGTERM', exitCode.terminated],
      ['SIGHUP', exitCode.hungUp],
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
  const onOutputError = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') controller.abort(new Error('The output was closed.'));
  };
  process.stdout.on('error', onOutputError);
  process.on('exit', killAll);
  return {
    signal: controller.signal,
    get exitCode() {
      return code;
    },
    dispose() {
      for (const remove of handlers) remove();
      process.stdout.off('error', onOutputError);
      process.off('exit', killAll);
    },
  };
}
