import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { signalGroup } from './process-group.js';
import type { ShellLine, ShellProcess, ShellStart } from './shell-process.js';

/** What the thread has to do. `id` is the program, and `line` the index of one of its lines. */
type ThreadOrder =
  | { id: number; do: 'start'; start: ShellStart }
  | { id: number; do: 'end'; line: number; text: string }
  | { id: number; do: 'destroy'; line: number };

/** What the thread says about a program. A line may close long after the exit, if another process has inherited it. */
type ThreadReport =
  | { id: number; is: 'started'; pid: number }
  | { id: number; is: 'failed'; message: string; code: string | undefined }
  | { id: number; is: 'text'; line: number; text: string }
  | { id: number; is: 'closed'; line: number }
  | { id: number; is: 'exited'; exitCode: number | null; signalCode: NodeJS.Signals | null };

/**
 * A thread that starts programs. `spawn` returns only when the new process has begun its program, and first copies the
 * page tables of this process: some milliseconds, in which an event loop stands still. The thread belongs to this
 * process, and so do the programs: a kill ends the thread with all our ends of lines.
 */
export class ShellThread {
  readonly #worker: Worker;
  readonly #shells = new Map<number, ThreadShell>();
  /** Programs and lines that keep this process alive. */
  readonly #holders = new Set<object>();
  #started = 0;
  #state: 'starting' | 'ready' | 'ended' = 'starting';

  constructor() {
    this.#worker = new Worker(`(${runThread.toString()})()`, { eval: true, env: {}, execArgv: [] });
    this.#worker.unref();
    this.#worker.once('online', () => {
      this.#state = 'ready';
    });
    this.#worker.on('message', (report: ThreadReport) => this.#shells.get(report.id)?.take(report));
    this.#worker.on('error', () => {}); // its exit follows
    this.#worker.once('exit', () => {
      this.#state = 'ended';
      for (const shell of this.#shells.values()) shell.lose();
    });
  }

  /** Whether it has begun to work, and has not ended. */
  get isReady(): boolean {
    return this.#state === 'ready';
  }

  async start(start: ShellStart): Promise<ShellProcess> {
    if (this.#state === 'ended') throw new Error(HAS_ENDED);
    this.#started += 1;
    const shell = new ThreadShell(this.#started, start, {
      send: (order) => this.#worker.postMessage(order),
      hold: (holder, isHeld) => this.#hold(holder, isHeld),
      forget: ({ id }) => this.#shells.delete(id),
    });
    this.#shells.set(shell.id, shell);
    return await shell.started;
  }

  end(): void {
    void this.#worker.terminate();
  }

  #hold(holder: object, isHeld: boolean): void {
    if (isHeld) this.#holders.add(holder);
    else this.#holders.delete(holder);
    if (this.#holders.size > 0) this.#worker.ref();
    else this.#worker.unref();
  }
}

const HAS_ENDED = 'The thread that starts programs has ended.';

interface ThreadPort {
  send(order: ThreadOrder): void;
  hold(holder: object, isHeld: boolean): void;
  /** Nothing more will be reported about it. */
  forget(shell: ThreadShell): void;
}

class ThreadShell implements ShellProcess {
  readonly id: number;
  readonly started: Promise<ShellProcess>;
  readonly exited: Promise<void>;
  readonly lines: readonly ThreadLine[];
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  #pid: number | undefined;
  readonly #port: ThreadPort;
  readonly #start = Promise.withResolvers<ShellProcess>();
  readonly #exit = Promise.withResolvers<void>();
  #hasExited = false;

  constructor(id: number, start: ShellStart, port: ThreadPort) {
    this.id = id;
    this.#port = port;
    this.started = this.#start.promise;
    this.exited = this.#exit.promise;
    const pipes = start.descriptors.filter((one) => one === 'pipe');
    this.lines = pipes.map((_, line) => new ThreadLine(id, line, port));
    port.hold(this, true); // until it has started
    port.send({ id, do: 'start', start });
  }

  get pid(): number {
    if (this.#pid === undefined) throw new Error('The program has not started yet.');
    return this.#pid;
  }

  take(report: ThreadReport): void {
    if (report.is === 'started') {
      this.#pid = report.pid;
      this.unref();
      this.#start.resolve(this);
    } else if (report.is === 'failed') {
      this.#fail(Object.assign(new Error(report.message), { code: report.code }));
    } else if (report.is === 'exited') {
      this.#exitWith(report.exitCode, report.signalCode);
    } else if (report.is === 'text') {
      this.lines[report.line]?.take(report.text);
    } else {
      this.lines[report.line]?.close();
      this.#forgetIfOver();
    }
  }

  /** The thread has ended, so that no end of the program would be noticed. */
  lose(): void {
    for (const line of this.lines) line.close();
    if (this.#pid === undefined) this.#fail(new Error(HAS_ENDED));
    else if (!this.#hasExited) signalGroup(this.#pid, 'SIGKILL');
    this.#exitWith(null, 'SIGKILL');
  }

  ref(): void {
    if (!this.#hasExited) this.#port.hold(this, true);
  }

  unref(): void {
    this.#port.hold(this, false);
  }

  #fail(error: Error): void {
    this.unref();
    this.#start.reject(error);
    this.#port.forget(this);
  }

  #exitWith(exitCode: number | null, signalCode: NodeJS.Signals | null): void {
    if (this.#hasExited) return;
    this.#hasExited = true;
    this.exitCode = exitCode;
    this.signalCode = signalCode;
    this.unref();
    this.#exit.resolve();
    this.#forgetIfOver();
  }

  #forgetIfOver(): void {
    if (this.#hasExited && this.lines.every(({ isClosed }) => isClosed)) this.#port.forget(this);
  }
}

class ThreadLine implements ShellLine {
  readonly closed: Promise<void>;
  isClosed = false;
  readonly #id: number;
  readonly #line: number;
  readonly #port: ThreadPort;
  readonly #close = Promise.withResolvers<void>();
  readonly #listeners = new Set<(text: string) => void>();

  constructor(id: number, line: number, port: ThreadPort) {
    this.#id = id;
    this.#line = line;
    this.#port = port;
    this.closed = this.#close.promise;
  }

  listen(listener: (text: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  end(text: string): void {
    this.#port.send({ id: this.#id, do: 'end', line: this.#line, text });
  }

  destroy(): void {
    if (!this.isClosed) this.#port.send({ id: this.#id, do: 'destroy', line: this.#line });
  }

  ref(): void {
    if (!this.isClosed) this.#port.hold(this, true);
  }

  unref(): void {
    this.#port.hold(this, false);
  }

  take(text: string): void {
    for (const listener of this.#listeners) listener(text);
  }

  close(): void {
    this.isClosed = true;
    this.unref();
    this.#close.resolve();
  }
}

/** What the thread runs, by its text: nothing from outside of the function exists there. */
function runThread(): void {
  const { parentPort } = process.getBuiltinModule('node:worker_threads');
  const { spawn } = process.getBuiltinModule('node:child_process');
  const mostText = 64 * 1024; // of one line: what it holds beyond that is dropped, as nothing else slows its writer down
  const turns = 3; // in which the end of a line is read that has come with the exit
  const linesOf = new Map<number, Socket[]>();
  const tell = (report: ThreadReport): void => parentPort?.postMessage(report);

  const start = (id: number, { program, args, cwd, env, descriptors }: ShellStart): void => {
    const child = spawn(program, args, { cwd, env, stdio: [...descriptors], detached: true });
    child.once('error', ({ message, code }: NodeJS.ErrnoException) => {
      if (child.pid === undefined) tell({ id, is: 'failed', message, code });
    });
    if (child.pid === undefined) return; // the error follows
    tell({ id, is: 'started', pid: child.pid });
    const sockets = descriptors.flatMap((one, at) => (one === 'pipe' ? [child.stdio[at] as Socket] : [])); // Node makes one for each pipe
    let open = sockets.length;
    linesOf.set(id, sockets);
    for (const [line, socket] of sockets.entries()) {
      let left = mostText;
      socket.setEncoding('utf8');
      socket.on('error', () => {}); // its end follows
      socket.on('data', (text: string) => {
        if (left > 0) tell({ id, is: 'text', line, text: text.slice(0, left) });
        left -= text.length;
      });
      socket.once('close', () => {
        open -= 1;
        if (open === 0) linesOf.delete(id);
        tell({ id, is: 'closed', line });
      });
    }
    child.once('exit', (exitCode, signalCode) => {
      const report = (left: number): void => {
        if (open > 0 && left > 0) setImmediate(report, left - 1);
        else tell({ id, is: 'exited', exitCode, signalCode });
      };
      report(turns);
    });
  };

  parentPort?.on('message', (order: ThreadOrder) => {
    if (order.do === 'start') {
      try {
        start(order.id, order.start);
      } catch (error) {
        const { message, code } = error as NodeJS.ErrnoException; // spawn throws nothing else
        tell({ id: order.id, is: 'failed', message, code });
      }
      return;
    }
    const socket = linesOf.get(order.id)?.[order.line];
    if (order.do === 'end') socket?.end(order.text);
    else socket?.destroy();
  });
}
