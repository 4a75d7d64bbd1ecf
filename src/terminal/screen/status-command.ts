import { spawn } from 'node:child_process';
import { randomHex } from '../../platform/crypto.js';
import { endTree, killTree, MARK_VARIABLE, type ProcessTree, withMark } from '../../platform/shell/process-tree.js';

const WAIT_MS = 300; // changes come in bursts
const TIME_MS = 5_000;
const MAX_CHARS = 10_000;

export interface StatusCommandOptions {
  command: string;
  cwd(): string;
  env(): Readonly<Record<string, string | undefined>>;
  /** The session's data for the command's stdin. */
  facts(): unknown;
  /** Its output, or undefined if it failed: then Helve's own status line is shown. */
  show(text: string | undefined): void;
}

/** The user's own status line: a command that gets the session's data as JSON and prints the line. */
export class StatusCommand {
  readonly #options: StatusCommandOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: AbortController | undefined;
  /** Of runs that have not ended, including those that are being ended. */
  readonly #trees = new Set<ProcessTree>();
  #isStopped = false;

  constructor(options: StatusCommandOptions) {
    this.#options = options;
  }

  /** Something has changed. */
  refresh(): void {
    if (this.#timer || this.#isStopped) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, WAIT_MS);
    this.#timer.unref();
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    this.#running?.abort();
  }

  /** Synchronously, for a program that is about to exit. */
  kill(): void {
    this.stop();
    for (const tree of this.#trees) killTree(tree);
  }

  async #run(): Promise<void> {
    this.#running?.abort(); // its output would be outdated
    const running = new AbortController();
    this.#running = running;
    const text = await this.#output(AbortSignal.any([running.signal, AbortSignal.timeout(TIME_MS)])).catch(
      () => undefined,
    );
    if (running.signal.aborted) return;
    this.#running = undefined;
    this.#options.show(text);
  }

  async #output(signal: AbortSignal): Promise<string> {
    const { command, cwd, env: environment, facts } = this.#options;
    const env = environment();
    const mark = `status.${randomHex(8)}`;
    const child = spawn(command, {
      shell: true,
      cwd: cwd(),
      env: { ...env, [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true, // a process group of its own, so that ending it ends what the shell has started too
    });
    let text = '';
    const ended = Promise.withResolvers<string>();
    child.once('error', ended.reject);
    child.once('close', (code) =>
      code === 0 ? ended.resolve(text.trimEnd()) : ended.reject(new Error(`exit code ${code}`)),
    );
    // If spawning failed because too many files are open, the child has no streams.
    child.stdin?.on('error', () => {}); // it may exit without reading its input
    child.stdin?.end(JSON.stringify(facts()));
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length < MAX_CHARS) text += piece;
    });
    if (child.pid === undefined) return await ended.promise;
    return await this.#whileRunning({ group: child.pid, mark }, ended.promise, signal);
  }

  /** Waits for the output. An abort ends everything that the command has started. */
  async #whileRunning(tree: ProcessTree, output: Promise<string>, signal: AbortSignal): Promise<string> {
    this.#trees.add(tree);
    const aborted = Promise.withResolvers<never>();
    const onAbort = (): void => {
      aborted.reject(signal.reason);
      void endTree(tree).finally(() => this.#trees.delete(tree));
    };
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      return await Promise.race([output, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
      if (!signal.aborted) this.#trees.delete(tree);
    }
  }
}
