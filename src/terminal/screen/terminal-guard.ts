// Restores the terminal, however the program ends: cooked mode, visible cursor, no protocol left enabled.

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const END_MS = 10_000; // for ending child processes when there is no user to wait for it

/** The owner of the terminal. */
export interface HeldTerminal {
  /** Whether the screen is drawn, so that other output would corrupt it. */
  readonly isOn: boolean;
  /** Restores the terminal. May be called at any time, and repeatedly. */
  stop(): void;
}

export interface GuardOptions {
  /** A signal asks the program to end, or the terminal is gone. */
  onEnd(exitCode: number): void;
  /** The program exits now, without waiting: kill everything that it has started. */
  killAll(): void;
  /** Text written to stderr, which would corrupt the screen. */
  onWords(words: string): void;
}

export function guardTerminal(held: HeldTerminal, { onEnd, killAll, onWords }: GuardOptions): { dispose(): void } {
  let isEnding = false;
  const restore = (): void => held.stop();
  const end = (code: number): void => {
    isEnding = true;
    setTimeout(() => process.exit(code), END_MS).unref();
    onEnd(code);
    restore();
  };
  const onSignal = (signal: keyof typeof exitCodes) => () => {
    if (!isEnding) end(exitCodes[signal]);
    else if (signal !== 'SIGHUP') {
      // A second signal means that the user won't wait. A hang-up arrives more than once by itself: from the terminal,
      // and from the shell.
      restore();
      process.exit(exitCodes[signal]);
    }
  };
  const onGone = (): void => {
    if (!isEnding) end(exitCodes.SIGHUP);
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
  // These handlers stay: once the terminal is gone, every write fails, including the last ones.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', onGone);
  process.stdin.on('end', onGone);

  const write = process.stderr.write.bind(process.stderr);
  const told = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (held.isOn)
      onWords(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString()); // streams accept only these types
    else write(String(chunk));
    const done = rest.find((one) => typeof one === 'function');
    if (typeof done === 'function') done();
    return true;
  };
  process.stderr.write = told as typeof process.stderr.write; // covers all overloads

  return {
    dispose() {
      isEnding = true;
      for (const [signal, handler] of handlers) process.off(signal, handler);
      process.off('exit', restore);
      process.off('exit', killAll);
      process.off('uncaughtException', onFailure);
      process.off('unhandledRejection', onFailure);
      process.stderr.write = write;
    },
  };
}
