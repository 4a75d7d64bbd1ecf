// Whatever ends the program, the terminal is given back as it was: cooked, with its cursor, and no protocol left on.
import type { Screen } from './screen.js';

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

export interface GuardOptions {
  /** A signal wants the program to end. */
  onEnd(exitCode: number): void;
  /** The program ends now, and waits for nothing: what it has started must end with it. */
  killAll(): void;
  /** Words that somebody wrote to standard error, where they would run through the picture. */
  onWords(words: string): void;
}

export function guardTerminal(screen: Screen, { onEnd, killAll, onWords }: GuardOptions): { dispose(): void } {
  let isEnding = false;
  const restore = (): void => screen.stop();
  const onSignal = (signal: keyof typeof exitCodes) => () => {
    if (isEnding) {
      restore();
      process.exit(exitCodes[signal]);
    }
    isEnding = true;
    restore();
    onEnd(exitCodes[signal]);
  };
  const onFailure = (error: unknown): void => {
    restore();
    process.stderr.write(`helve: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  };
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((signal) => [signal, onSignal(signal)] as const);
  for (const [signal, handler] of handlers) process.on(signal, handler);
  process.on('exit', restore);
  process.on('exit', killAll);
  process.on('uncaughtException', onFailure);
  process.on('unhandledRejection', onFailure);

  const write = process.stderr.write.bind(process.stderr);
  const told = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (screen.isOn)
      onWords(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString()); // all that streams take
    else write(String(chunk));
    const done = rest.find((one) => typeof one === 'function');
    if (typeof done === 'function') done();
    return true;
  };
  process.stderr.write = told as typeof process.stderr.write; // the same in all its forms

  return {
    dispose() {
      for (const [signal, handler] of handlers) process.off(signal, handler);
      process.off('exit', restore);
      process.off('exit', killAll);
      process.off('uncaughtException', onFailure);
      process.off('unhandledRejection', onFailure);
      process.stderr.write = write;
    },
  };
}
