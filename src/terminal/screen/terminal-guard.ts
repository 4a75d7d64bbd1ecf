// Whatever ends the program, the terminal is given back as it was: cooked, with its cursor, and no protocol left on.

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
const END_MS = 10_000; // for what must be ended with us, once nobody is there to wait for it

/** What holds the terminal. */
export interface HeldTerminal {
  /** Whether a picture is on it, which words would run through. */
  readonly isOn: boolean;
  /** Gives it back. May be called at any time, and more than once. */
  stop(): void;
}

export interface GuardOptions {
  /** A signal wants the program to end, or the terminal is gone. */
  onEnd(exitCode: number): void;
  /** The program ends now, and waits for nothing: what it has started must end with it. */
  killAll(): void;
  /** Words that somebody wrote to standard error, where they would run through the picture. */
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
      // Somebody will not wait. A hang-up comes more than once by itself: from the terminal, and from the shell.
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
  // These stay: a terminal that is gone fails each write, also the last ones.
  for (const stream of [process.stdin, process.stdout, process.stderr]) stream.on('error', onGone);
  process.stdin.on('end', onGone);

  const write = process.stderr.write.bind(process.stderr);
  const told = (chunk: unknown, ...rest: unknown[]): boolean => {
    if (held.isOn)
      onWords(typeof chunk === 'string' ? chunk : Buffer.from(chunk as Uint8Array).toString()); // all that streams take
    else write(String(chunk));
    const done = rest.find((one) => typeof one === 'function');
    if (typeof done === 'function') done();
    return true;
  };
  process.stderr.write = told as typeof process.stderr.write; // the same in all its forms

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
