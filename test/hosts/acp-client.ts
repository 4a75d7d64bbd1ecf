import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { JsonLineReader } from '../cli/json-line-reader.js';
import { emptyFolder, shareCode } from '../cli/run-helve.js';
import { fields, type Line } from '../cli/stream-json-host.js';
import { type AcpMessage, type Recorded, schemaViolations } from './acp-schema.js';

const helve = resolve('bin/helve.cjs');

/** The answer to a request of the agent: a result, an error, or none at all. */
export type Reply = { result: unknown } | { error: { code: number; message: string } } | 'none';

export const selected = (optionId: string): Reply => ({ result: { outcome: { outcome: 'selected', optionId } } });

/** A client of the Agent Client Protocol over the standard streams of `helve acp`, which records all that is said. */
export class AcpTestClient {
  readonly server: FakeModelServer;
  readonly cwd: string;
  readonly child: ChildProcess;
  readonly traffic: Recorded[] = [];
  /** Answers requests of the agent. */
  reply: (request: AcpMessage & { params: Line }) => Reply | Promise<Reply> = () => selected('allow');
  stderr = '';
  readonly closed: Promise<number | null>;
  readonly #reader = new JsonLineReader<AcpMessage>();
  #lastId = 0;
  #isClosed = false;
  #wake = Promise.withResolvers<void>();

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

  get fromAgent(): AcpMessage[] {
    return this.traffic.flatMap(({ from, message }) => (from === 'agent' ? [message] : []));
  }

  /** The updates of a session, in order. */
  updates(sessionId?: unknown): Line[] {
    return this.fromAgent.flatMap(({ method, params }) => {
      if (method !== 'session/update') return [];
      const { sessionId: of, update } = fields(params);
      return sessionId === undefined || of === sessionId ? [fields(update)] : [];
    });
  }

  kinds(sessionId?: unknown): string[] {
    return this.updates(sessionId).map(({ sessionUpdate }) => String(sessionUpdate));
  }

  text(kind = 'agent_message_chunk', sessionId?: unknown): string {
    return this.updates(sessionId)
      .filter(({ sessionUpdate }) => sessionUpdate === kind)
      .map(({ content }) => String(fields(content)['text']))
      .join('');
  }

  /** The requests of the agent. */
  asked(method: string): Line[] {
    return this.fromAgent.flatMap((message) =>
      message.method === method && message.id !== undefined ? [fields(message.params)] : [],
    );
  }

  raw(text: string | Buffer): void {
    this.child.stdin?.write(text);
  }

  send(message: AcpMessage): void {
    const whole = { jsonrpc: '2.0', ...message };
    this.traffic.push({ from: 'client', message: whole });
    this.raw(`${JSON.stringify(whole)}\n`);
  }

  /** Sends a request, and gives its id without waiting. */
  start(method: string, params: unknown): number {
    this.#lastId += 1;
    this.send({ id: this.#lastId, method, params });
    return this.#lastId;
  }

  async answerTo(id: number): Promise<AcpMessage> {
    return await this.find((message) => message.id === id && message.method === undefined);
  }

  /** The result. Throws if it is an error. */
  async request(method: string, params: unknown): Promise<Line> {
    const { result, error } = await this.answerTo(this.start(method, params));
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return fields(result);
  }

  /** The error. Throws if it is a result. */
  async refused(method: string, params: unknown): Promise<{ code: number; message: string }> {
    const { result, error } = await this.answerTo(this.start(method, params));
    if (!error) throw new Error(`${method} was answered: ${JSON.stringify(result)}`);
    return error;
  }

  /** The first message of the agent that fits, whenever it came. */
  async find(fits: (message: AcpMessage) => boolean): Promise<AcpMessage> {
    for (;;) {
      const found = this.fromAgent.find(fits);
      if (found) return found;
      if (this.#isClosed) throw new Error(`helve ended without it\n${JSON.stringify(this.fromAgent)}\n${this.stderr}`);
      await this.#wake.promise;
    }
  }

  /** The first update that fits. */
  async update(fits: (update: Line) => boolean): Promise<Line> {
    const { params } = await this.find(
      ({ method, params }) => method === 'session/update' && fits(fields(fields(params)['update'])),
    );
    return fields(fields(params)['update']);
  }

  async initialize(clientCapabilities: unknown = {}): Promise<Line> {
    return await this.request('initialize', { protocolVersion: 1, clientCapabilities });
  }

  async newSession(more: Line = {}): Promise<string> {
    const { sessionId } = await this.request('session/new', { cwd: this.cwd, mcpServers: [], ...more });
    return String(sessionId);
  }

  async prompt(sessionId: string, text: string): Promise<Line> {
    return await this.request('session/prompt', { sessionId, prompt: [{ type: 'text', text }] });
  }

  async end(): Promise<number | null> {
    this.child.stdin?.end();
    const code = await this.closed;
    this.expectValidTraffic();
    return code;
  }

  /** Nothing that was said violates the schema of the protocol, where that is there to ask. */
  expectValidTraffic(): void {
    expect(schemaViolations(this.traffic) ?? []).toEqual([]);
  }

  #take(text: string): void {
    for (const message of this.#reader.take(text)) {
      this.traffic.push({ from: 'agent', message });
      if (message.method !== undefined && message.id !== undefined) void this.#answer(message);
    }
    this.#wake.resolve();
    this.#wake = Promise.withResolvers<void>();
  }

  async #answer(message: AcpMessage): Promise<void> {
    const reply = await this.reply({ ...message, params: fields(message.params) });
    if (reply !== 'none' && message.id !== undefined) this.send({ id: message.id, ...reply });
  }
}

export interface AcpStart {
  args?: string[];
  env?: Record<string, string>;
  cwd?: string;
  home?: string;
  /** A server that several clients share; it is closed by whoever started it. */
  server?: FakeModelServer;
}

/** The environment of helve with this server as its model. */
export function helveEnvironment(server: FakeModelServer, home: string): Record<string, string> {
  shareCode(join(home, '.helve'));
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    TMPDIR: tmpdir(),
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
  };
}

export async function startAcp(
  answers: FakeAnswers,
  { args = [], env = {}, cwd, home, server: shared }: AcpStart = {},
): Promise<AcpTestClient> {
  const server = shared ?? (await startFakeModelServer(answers));
  const folder = cwd ?? (await emptyFolder());
  const child = spawn(process.execPath, [helve, 'acp', ...args], {
    cwd: await emptyFolder(), // not that of a session: nothing may depend on it
    env: { ...helveEnvironment(server, home ?? (await mkdtemp(join(tmpdir(), 'helve-home-')))), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    if (!shared) await server.close();
  });
  return new AcpTestClient(child, server, folder);
}

/** Initialised, with one open session. */
export async function startSession(
  answers: FakeAnswers,
  { capabilities = {}, ...start }: AcpStart & { capabilities?: unknown } = {},
): Promise<{ client: AcpTestClient; sessionId: string }> {
  const client = await startAcp(answers, start);
  await client.initialize(capabilities);
  return { client, sessionId: await client.newSession() };
}
