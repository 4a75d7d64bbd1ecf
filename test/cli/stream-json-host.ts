import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { JsonLineReader } from './json-line-reader.js';
import { emptyFolder } from './run-helve.js';

const helve = resolve('bin/helve.cjs');

export type Line = Readonly<Record<string, unknown>>;

/** A program that drives Helve over its standard input and output, as editors and SDKs do. */
export class TestHost {
  readonly server: FakeModelServer;
  readonly cwd: string;
  readonly child: ChildProcess;
  readonly lines: Line[] = [];
  stderr = '';
  readonly closed: Promise<number | null>;
  readonly #reader = new JsonLineReader<Line>();
  #read = 0;
  #wake = Promise.withResolvers<void>();
  #isClosed = false;
  #requests = 0;

  constructor(child: ChildProcess, server: FakeModelServer, cwd: string) {
    this.child = child;
    this.server = server;
    this.cwd = cwd;
    child.stdin?.on('error', () => {}); // one that ends early does not read all of it
    child.stdout?.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.stderr += text;
    });
    this.closed = new Promise((done) => {
      child.once('close', (code) => {
        this.#isClosed = true;
        this.#wake.resolve();
        done(code);
      });
    });
  }

  send(message: Line | string): void {
    this.child.stdin?.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  prompt(content: unknown, more: Line = {}): void {
    this.send({ type: 'user', message: { role: 'user', content }, ...more });
  }

  /** Sends a request and gives what it is answered with. */
  async request(request: Line): Promise<Line> {
    this.#requests += 1;
    const request_id = `request-${this.#requests}`;
    this.send({ type: 'control_request', request_id, request });
    const { response } = await this.find(
      (line) => line['type'] === 'control_response' && fields(line['response'])['request_id'] === request_id,
    );
    return fields(response);
  }

  /** Answers a request of Helve. */
  answer(request: Line, response: unknown): void {
    const { request_id } = request;
    this.send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
  }

  /** The next line, from the last one found on, of this type or subtype. */
  async next(kind: string): Promise<Line> {
    for (;;) {
      for (let line = this.lines[this.#read]; line; line = this.lines[this.#read]) {
        this.#read += 1;
        if (kindOf(line) === kind) return line;
      }
      await this.#more(kind);
    }
  }

  /** The first line that fits, whenever it came. */
  async find(fits: (line: Line) => boolean): Promise<Line> {
    for (;;) {
      const found = this.lines.find(fits);
      if (found) return found;
      await this.#more(String(fits));
    }
  }

  /** What the host is asked next. */
  async question(): Promise<{ line: Line; request: Line }> {
    const line = await this.next('can_use_tool');
    return { line, request: fields(line['request']) };
  }

  kinds(): string[] {
    return this.lines.map(kindOf);
  }

  endInput(): void {
    this.child.stdin?.end();
  }

  async end(): Promise<number | null> {
    this.endInput();
    return await this.closed;
  }

  async #more(what: string): Promise<void> {
    if (this.#isClosed) {
      throw new Error(`Helve ended without: ${what}\n${JSON.stringify(this.lines, null, 1)}\n${this.stderr}`);
    }
    await this.#wake.promise;
  }

  #take(text: string): void {
    this.lines.push(...this.#reader.take(text));
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }
}

function kindOf(line: Line): string {
  const inner = line['request'] === undefined ? line : fields(line['request']);
  return String(inner['subtype'] ?? line['type']);
}

/** An object whose fields are looked at one by one. */
export const fields = (value: unknown): Line => {
  if (typeof value !== 'object' || value === null) throw new Error(`not an object: ${JSON.stringify(value)}`);
  return value as Line; // as was just seen
};

const streamed = ['-p', '--output-format', 'stream-json', '--input-format', 'stream-json', '--verbose'];

interface HostOptions {
  /** Beside the usual ones. */
  args?: string[];
  /** In their place. */
  replacedArgs?: string[];
  env?: Record<string, string>;
  cwd?: string;
}

export async function startHost(
  answers: FakeAnswers,
  { args = [], replacedArgs = [...streamed, ...args], env = {}, cwd }: HostOptions = {},
): Promise<TestHost> {
  const server = await startFakeModelServer(answers);
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  const folder = cwd ?? (await emptyFolder());
  const child = spawn(process.execPath, [helve, ...replacedArgs], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      TMPDIR: tmpdir(),
      IS_SANDBOX: '1',
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'sk-test',
      ...env,
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await server.close();
  });
  return new TestHost(child, server, folder);
}
