// The Claude Agent SDK as a host of Helve. It is not among the dependencies: the CI fetches it, and
// docs/guides/run-under-agent-sdk.md says how to do it by hand. Where it is missing, its tests are skipped and say so.
import { existsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { onTestFinished, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { shareCode } from '../cli/run-helve.js';

export const folder = join(resolve(process.env['HELVE_AGENT_SDK'] ?? 'node_modules/.cache/agent-sdk'), 'node_modules');
export const helve = resolve('bin/helve.mjs');

export type Fields = Readonly<Record<string, unknown>>;

/** A conversation of the SDK, as far as these tests use it. The types of the SDK are not here when this is compiled. */
export interface SdkQuery extends AsyncGenerator<Fields, void> {
  // biome-ignore lint/suspicious/noExplicitAny: methods of a package whose types are absent
  [method: string]: any;
}

export interface Sdk {
  query(given: { prompt: string | AsyncIterable<unknown>; options: Fields }): SdkQuery;
  tool(...given: unknown[]): unknown;
  createSdkMcpServer(given: Fields): unknown;
}

export const newest = '@anthropic-ai/claude-agent-sdk';

export const pathOf = (name: string): string => join(folder, name, 'sdk.mjs');

export async function load(name = newest): Promise<Sdk> {
  return (await import(pathToFileURL(pathOf(name)).href)) as Sdk; // checked by use
}

export async function zod() {
  return ((await import(pathToFileURL(join(folder, 'zod/index.js')).href)) as { z: { string(): unknown } }).z;
}

/** What the tests cover of the SDK's typings. */
export const covered = { options: new Set<string>(), methods: new Set<string>(), hooks: new Set<string>() };

export interface Covers {
  options?: readonly string[];
  methods?: readonly string[];
  hooks?: readonly string[];
}

export function sdkTest(name: string, covers: Covers, body: () => Promise<void>, sdk = newest): void {
  for (const kind of ['options', 'methods', 'hooks'] as const) {
    for (const one of covers[kind] ?? []) covered[kind].add(one);
  }
  test(name, async ({ skip }) => {
    if (!existsSync(pathOf(sdk))) {
      skip(`${pathOf(sdk)} is not there: docs/guides/run-under-agent-sdk.md says how to fetch it.`);
    }
    await body();
  });
}

export interface Place {
  server: FakeModelServer;
  cwd: string;
  home: string;
  /** The options of every run. */
  options: Fields;
}

export async function place(answers: FakeAnswers): Promise<Place> {
  const server = await startFakeModelServer(answers);
  onTestFinished(() => server.close());
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  shareCode(join(home, '.helve'));
  const cwd = await mkdtemp(join(tmpdir(), 'helve-sdk-'));
  const env = {
    PATH: process.env['PATH'],
    HOME: home,
    TMPDIR: tmpdir(),
    IS_SANDBOX: '1',
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-test',
  };
  return { server, cwd, home, options: { cwd, env, pathToClaudeCodeExecutable: helve, executable: process.execPath } };
}

/** One prompt with these options, and all that the host gets. */
export async function run(at: Place, options: Fields, { prompt = 'go', sdk = newest } = {}): Promise<Fields[]> {
  const { query } = await load(sdk);
  return await messagesOf(query({ prompt, options: { ...at.options, ...options } }));
}

export async function messagesOf(query: AsyncIterable<Fields>): Promise<Fields[]> {
  const messages: Fields[] = [];
  try {
    for await (const message of query) messages.push(message);
  } catch (error) {
    // The SDK throws after a result that is an error, which tests look at themselves.
    if (resultOf(messages)['is_error'] !== true) throw error;
  }
  return messages;
}

export const ofKind = (messages: readonly Fields[], kind: string): Fields[] =>
  messages.filter(({ type, subtype }) => (type === 'system' ? subtype : type) === kind);

export const resultOf = (messages: readonly Fields[]): Fields =>
  messages.findLast(({ type }) => type === 'result') ?? {};

export const notices = (messages: readonly Fields[]): string =>
  ofKind(messages, 'notice')
    .map(({ text }) => String(text))
    .join('\n');

/** Prompts that a test sends one by one; the conversation stays open until `end`. */
export class Prompts implements AsyncIterable<unknown> {
  readonly #waiting: unknown[] = [];
  #isEnded = false;
  #wake = Promise.withResolvers<void>();

  send(content: unknown, more: Fields = {}): void {
    this.#waiting.push({ type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...more });
    this.#wake.resolve();
  }

  end(): void {
    this.#isEnded = true;
    this.#wake.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<unknown, void> {
    for (;;) {
      while (this.#waiting.length > 0) yield this.#waiting.shift();
      if (this.#isEnded) return;
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
  }
}

/** The next message of this kind. */
export async function until(query: AsyncGenerator<Fields, void>, kind: string): Promise<Fields> {
  for (;;) {
    const { value, done: isDone } = await query.next();
    if (isDone || !value) throw new Error(`The conversation ended without ${kind}.`);
    if ((value['type'] === 'system' ? value['subtype'] : value['type']) === kind) return value;
  }
}
