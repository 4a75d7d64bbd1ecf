// A server in its own process, which speaks JSON lines over stdio. All processes that it starts carry our mark, so that
// they end with us, or are found by the next Helve if we are killed.
import type { ChildProcess } from 'node:child_process';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { codeOf } from '../../platform/error-code.js';
import { messageOf } from '../../platform/message-of.js';
import { parseJson } from '../../platform/parse-json.js';
import { endTree, killTree, MARK_VARIABLE, type ProcessTree, withMark } from '../../platform/shell/process-tree.js';
import { startProcess } from '../../platform/shell/start-process.js';
import { plainLine } from '../../platform/text/plain-text.js';
import { TailText } from './tail-text.js';

const MAX_MESSAGE_BYTES = 64 * 1024 * 1024; // images and long results are smaller; a line that never ends means a broken server
const KEPT_CHARS = 8_000; // of output that is not messages, for debugging
const DRAIN_MS = 200; // for its last output, which may arrive after its exit
const CLOSE_GRACE_MS = 500; // for a server that exits when its stdin closes

export interface StdioOptions {
  command: string;
  args: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Identifies its processes. */
  mark: string;
  /** Registers a function that kills it at once; returns a function that unregisters it. */
  whileRunning(kill: () => void): () => void;
}

/** The system says only `spawn NAME ENOENT`. */
function whyNot(command: string, error: unknown): string {
  const name = plainLine(command, 200);
  const code = codeOf(error);
  if (code === 'EACCES') return `${name} may not be run: check its permissions`;
  if (code !== 'ENOENT') return plainLine(messageOf(error), 300);
  return /[\\/]/.test(command) ? `there is no program ${name}` : `${name} is not installed, or not on PATH`;
}

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Its output other than messages. */
  readonly stderr = new TailText(KEPT_CHARS);
  readonly #options: StdioOptions;
  #child: ChildProcess | undefined;
  #tree: ProcessTree | undefined;
  #exited: Promise<void> | undefined;
  #ending: Promise<void> | undefined;
  #forget: (() => void) | undefined;
  #chunks: Buffer[] = [];
  #size = 0;
  #isClosed = false;
  /** Why it has ended; continues after the server's name. */
  end: string | undefined;

  constructor(options: StdioOptions) {
    this.#options = options;
  }

  /** By this and `stderr` the SDK knows a process, for which silence means that it does not know the question. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const { command, args, cwd, env, mark } = this.#options;
    let child: ChildProcess;
    try {
      child = startProcess(command, args, {
        cwd,
        env: { ...env, [MARK_VARIABLE]: withMark(env[MARK_VARIABLE], mark) },
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: true, // its own process group, which can be ended as a whole
        windowsHide: true,
      });
    } catch (error) {
      this.end ??= `could not be started (${whyNot(command, error)})`;
      throw new Error(this.end, { cause: error });
    }
    this.#child = child;
    if (child.pid !== undefined) this.#own({ group: child.pid, mark }); // right away: it may be closed before it has started
    const started = Promise.withResolvers<void>();
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    child.once('spawn', () => started.resolve());
    child.once('error', (error) => {
      this.end ??= `could not be started (${whyNot(command, error)})`;
      started.reject(new Error(this.end, { cause: error }));
      exited.resolve();
      this.#closed();
    });
    child.once('exit', (code, signal) => {
      this.end ??= signal === null ? `ended with exit code ${code}` : `was ended by ${signal}`;
      exited.resolve();
    });
    child.once('close', () => this.#closed());
    child.stdin?.on('error', () => {}); // it has exited, which its exit event reports
    child.stderr?.setEncoding('utf8').on('data', (text: string) => this.stderr.add(text));
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    await started.promise;
    // A grandchild that holds the pipe open must not make it look alive.
    void exited.promise.then(() => setTimeout(() => this.#closed(), DRAIN_MS).unref());
  }

  #own(tree: ProcessTree): void {
    this.#tree = tree;
    this.#forget = this.#options.whileRunning(() => killTree(tree));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (!stdin || this.#isClosed || !stdin.writable) throw new Error(`The server ${this.end ?? 'is not running'}.`);
    if (stdin.write(`${JSON.stringify(message)}\n`)) return;
    // A server that stops reading must not block `close`.
    const drained = Promise.withResolvers<void>();
    stdin.once('drain', drained.resolve);
    await Promise.race([drained.promise, this.#exited]);
  }

  /** Ends the process tree: closes stdin, then SIGTERM, then SIGKILL. */
  close(): Promise<void> {
    this.#ending ??= this.#endAll();
    return this.#ending;
  }

  async #endAll(): Promise<void> {
    const tree = this.#tree;
    if (!tree) return this.#closed();
    this.#child?.stdin?.end();
    const grace = Promise.withResolvers<void>();
    const timer = setTimeout(grace.resolve, CLOSE_GRACE_MS);
    await Promise.race([this.#exited, grace.promise]);
    clearTimeout(timer);
    await endTree(tree); // its children may have outlived it
    this.#closed();
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#child?.stdout?.destroy();
    this.#child?.stderr?.destroy();
    this.#child?.stdin?.destroy();
    const tree = this.#tree;
    if (tree && !this.#ending) this.#ending = endTree(tree).then(() => {}); // it died, but its children may be alive
    void this.#ending?.then(() => this.#forget?.());
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      this.#chunks.push(chunk.subarray(from, end));
      const line = Buffer.concat(this.#chunks).toString('utf8');
      this.#chunks = [];
      this.#size = 0;
      from = end + 1;
      this.#take(line);
    }
    const rest = chunk.subarray(from);
    if (rest.length === 0 || this.#isClosed) return;
    this.#chunks.push(rest);
    this.#size += rest.length;
    if (this.#size <= MAX_MESSAGE_BYTES) return;
    this.#chunks = [];
    this.end ??= `sent a message of more than ${MAX_MESSAGE_BYTES / 1024 / 1024} MB, so it was ended`;
    void this.close();
  }

  #take(line: string): void {
    if (line.trim() === '') return;
    const message = asMessage(line);
    if (message) this.onmessage?.(message);
    else this.stderr.add(`${line.slice(0, 500)}\n`); // a banner or a stray print: kept with stderr
  }
}

/** Undefined for a line that is not a message. */
function asMessage(line: string): JSONRPCMessage | undefined {
  const value = parseJson(line);
  const isMessage = typeof value === 'object' && value !== null && 'jsonrpc' in value && value.jsonrpc === '2.0';
  return isMessage ? (value as JSONRPCMessage) : undefined; // the receiver distinguishes the kinds by their fields
}
