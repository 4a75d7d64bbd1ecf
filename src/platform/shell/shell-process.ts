import { once } from 'node:events';
import { Socket } from 'node:net';
import { startProcess } from './start-process.js';

/** A program with lines to it. It keeps this process alive only after `ref`. */
export interface ShellProcess {
  readonly pid: number;
  /** Null while it runs, and if a signal has ended it. */
  readonly exitCode: number | null;
  readonly signalCode: NodeJS.Signals | null;
  readonly exited: Promise<unknown>;
  /** One for each `pipe` among its descriptors, in their order. */
  readonly lines: readonly ShellLine[];
  ref(): void;
  unref(): void;
}

/** Our end of a descriptor of a program. It keeps this process alive only after `ref`. An error of it is its end. */
export interface ShellLine {
  /** From now on the listener is called with everything that arrives. Returns a function that stops this. */
  listen(listener: (text: string) => void): () => void;
  /** Resolves when no process has the other end any more, or after `destroy`. */
  readonly closed: Promise<void>;
  /** Sends the text and the end. */
  end(text: string): void;
  destroy(): void;
  ref(): void;
  unref(): void;
}

export interface ShellStart {
  program: string;
  args: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  /** A number is a descriptor of this process, which must stay open until the program has started. */
  descriptors: ReadonlyArray<number | 'pipe' | 'ignore'>;
}

/** Starts a program in a session and a process group of its own. */
export async function startShellProcess({ program, args, cwd, env, descriptors }: ShellStart): Promise<ShellProcess> {
  const child = startProcess(program, args, { cwd, env, stdio: [...descriptors], detached: true });
  const exited = once(child, 'exit');
  exited.catch(() => undefined); // a failed start is reported by the wait just below
  const lines = child.stdio.flatMap((stream) => (stream instanceof Socket ? [lineOf(stream)] : []));
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    throw new Error(`${program} was started without a process id`);
  }
  child.unref();
  return {
    pid,
    exited,
    lines,
    get exitCode() {
      return child.exitCode;
    },
    get signalCode() {
      return child.signalCode;
    },
    ref: () => child.ref(),
    unref: () => child.unref(),
  };
}

function lineOf(socket: Socket): ShellLine {
  socket.setEncoding('utf8');
  socket.on('error', () => {}); // it ends with the program, whose exit is handled
  socket.unref();
  return {
    listen(listener) {
      socket.on('data', listener);
      return () => socket.off('data', listener);
    },
    closed: new Promise((resolve) => socket.once('close', () => resolve())),
    end: (text) => void socket.end(text),
    destroy: () => void socket.destroy(),
    ref: () => void socket.ref(),
    unref: () => void socket.unref(),
  };
}
