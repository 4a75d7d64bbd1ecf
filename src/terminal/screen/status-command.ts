import { spawn } from 'node:child_process';

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

  constructor(options: StatusCommandOptions) {
    this.#options = options;
  }

  /** Something has changed. */
  refresh(): void {
    if (this.#timer || this.#running?.signal.aborted) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#run();
    }, WAIT_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#running?.abort();
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
    const { command, cwd, env, facts } = this.#options;
    const child = spawn(command, {
      shell: true,
      cwd: cwd(),
      env: { ...env() },
      stdio: ['pipe', 'pipe', 'ignore'],
      signal,
    });
    let text = '';
    const ended = new Promise<string>((done, failed) => {
      child.once('error', failed);
      child.once('close', (code) => (code === 0 ? done(text.trimEnd()) : failed(new Error(`exit code ${code}`))));
    });
    // If spawning failed because too many files are open, the child has no streams.
    child.stdin?.on('error', () => {}); // it may exit without reading its input
    child.stdin?.end(JSON.stringify(facts()));
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      if (text.length < MAX_CHARS) text += piece;
    });
    return await ended;
  }
}
