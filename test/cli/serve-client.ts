import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/fake-model-server.js';
import { emptyFolder, type HelveRun, runHelve } from './run-helve.js';

const program = resolve('bin/helve.cjs');

export interface ServePlace {
  cwd: string;
  home: string;
  env: Readonly<Record<string, string>>;
  model: FakeModelServer;
  helve(args: readonly string[]): Promise<HelveRun>;
  /** A new token with that role. */
  token(role: string, name?: string): Promise<string>;
}

/** Called when what was started is to be ended: with the test, if nothing else is said. */
type AtEnd = (end: () => Promise<void>) => void;

/** A data folder with a model. Its host is ended with the test. */
export async function servePlace(answers: FakeAnswers, atEnd: AtEnd = onTestFinished): Promise<ServePlace> {
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const model = await startFakeModelServer(answers);
  const env = { HELVE_HOME: home, ANTHROPIC_API_KEY: 'key', ANTHROPIC_BASE_URL: model.url };
  const helve: ServePlace['helve'] = async (args) => await runHelve(args, { cwd, env });
  atEnd(async () => {
    await helve(['host', 'stop']);
    await model.close();
  });
  const token: ServePlace['token'] = async (role, name = role) =>
    (await helve(['serve', 'tokens', 'add', name, '--role', role])).stdout.trim();
  return { cwd, home, env, model, helve, token };
}

export interface Served {
  process: ChildProcess;
  url: string;
  /** What it has written to stderr. */
  stderr(): string;
  /** Resolves with its exit code. */
  ended: Promise<number | null>;
}

/** `helve serve` on a free port. It is ended with the test. */
export async function startServe(
  { cwd, env }: ServePlace,
  args: readonly string[] = [],
  atEnd: AtEnd = onTestFinished,
): Promise<Served> {
  const child = spawn(process.execPath, [program, 'serve', '--port', '0', ...args], {
    cwd,
    env: { PATH: process.env['PATH'], HOME: cwd, IS_SANDBOX: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((done) => child.once('close', done));
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = await new Promise<string>((done, failed) => {
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const found = /^url: (\S+)$/m.exec(stdout)?.[1];
      if (found !== undefined) done(found);
    });
    void ended.then((code) => failed(new Error(`helve serve ended with ${code}: ${stderr}`)));
  });
  return { process: child, url, stderr: () => stderr, ended };
}

type Fields = Record<string, unknown>;

/** A client on a WebSocket, without a library of ours. */
export class ServeClient {
  readonly socket: WebSocket;
  /** Notifications and requests of the server, in order. */
  readonly messages: Fields[] = [];
  readonly #open = new Map<number, (message: Fields) => void>();
  #lastId = 0;
  #wake = Promise.withResolvers<void>();
  readonly closed: Promise<{ code: number; reason: string }>;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    this.closed = new Promise((done) =>
      socket.once('close', (code, reason) => {
        done({ code, reason: reason.toString() });
        this.#wake.resolve();
      }),
    );
    socket.on('error', () => {});
    socket.on('message', (data) => {
      const message: Fields = JSON.parse(String(data));
      const settle = 'method' in message ? undefined : this.#open.get(Number(message['id']));
      if (settle) settle(message);
      else this.messages.push(message);
      this.#wake.resolve();
    });
  }

  /** Rejects with the status of the answer if there is no WebSocket. */
  static async open(
    url: string,
    headers: Readonly<Record<string, string>>,
    protocols: string[] = [],
  ): Promise<ServeClient> {
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/acp`, protocols, { headers });
    const client = new ServeClient(socket);
    onTestFinished(() => socket.terminate());
    await new Promise<void>((done, failed) => {
      socket.once('open', () => done());
      socket.once('unexpected-response', (_, response) => failed(new Error(String(response.statusCode))));
      socket.once('error', failed);
    });
    return client;
  }

  /** Signed in with a token, and initialized. */
  static async connect(url: string, token: string): Promise<ServeClient> {
    const client = await ServeClient.open(url, { Authorization: `Bearer ${token}` });
    await client.request('initialize', { protocolVersion: 1, clientInfo: { name: 'test', version: '1' } });
    return client;
  }

  /** The whole answer, with `result` or `error`. */
  async ask(method: string, params: Fields = {}): Promise<Fields> {
    this.#lastId += 1;
    const id = this.#lastId;
    const answered = new Promise<Fields>((done) => this.#open.set(id, done));
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const gone = this.closed.then(({ code, reason }): Fields => ({ error: { code, message: reason } }));
    return await Promise.race([answered, gone]);
  }

  /** Rejects with the message of an error. */
  async request(method: string, params: Fields = {}): Promise<Fields> {
    const { result, error } = await this.ask(method, params);
    if (error) throw new Error((error as { message: string }).message); // an error has a message
    return result as Fields; // the tests check what it is
  }

  /** The entries of sessions that were attached to. */
  get entries(): Fields[] {
    return this.messages
      .filter(({ method }) => method === '_helve/session/entry')
      .map(({ params }) => (params as { entry: Fields }).entry);
  }

  /** Waits for a message or an answer; undefined if there is none before the end. */
  async until<Value>(look: () => Value | undefined): Promise<Value> {
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (this.socket.readyState === WebSocket.CLOSED) throw new Error('The connection was closed before.');
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }
}
