// The official MCP client, connected to the real `helve mcp serve` in a project of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import {
  Client,
  type ElicitRequest,
  type ElicitResult,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { shareCode } from '../cli/run-helve.js';

const helve = resolve('bin/helve.cjs');

export interface ServedFolder {
  root: string;
  env: Record<string, string>;
  path(name: string): string;
  text(name: string): Promise<string>;
}

export async function servedFolder(files: Readonly<Record<string, string>> = {}): Promise<ServedFolder> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'helve-served-')));
  const home = await realpath(await mkdtemp(join(tmpdir(), 'helve-home-')));
  shareCode(join(home, '.helve'));
  const path = (name: string): string => join(root, name);
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true });
    await writeFile(path(name), text);
  }
  return {
    root,
    env: { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: tmpdir(), IS_SANDBOX: '1' },
    path,
    text: (name) => readFile(path(name), 'utf8'),
  };
}

export type Elicit = (question: ElicitRequest['params']) => ElicitResult | Promise<ElicitResult>;

export interface ClientWish {
  /** Answers forms. Left out: the client says that it can't show any. */
  elicit?: Elicit;
  /** Default: the newest that begins with `initialize`. `auto`: the client finds out. */
  revision?: 'with sessions' | '2026-07-28' | 'auto';
}

export function clientFor({ elicit, revision }: ClientWish): Client {
  const client = new Client(
    { name: 'test', version: '1' },
    {
      capabilities: elicit ? { elicitation: { form: {} } } : {},
      ...(revision === '2026-07-28' && { versionNegotiation: { mode: { pin: revision } } }),
      ...(revision === 'auto' && { versionNegotiation: { mode: revision } }),
    },
  );
  if (elicit) client.setRequestHandler('elicitation/create', async ({ params }) => await elicit(params));
  onTestFinished(async () => await client.close());
  return client;
}

export async function connectByStdio(
  { root, env }: ServedFolder,
  { flags = [], ...wish }: ClientWish & { flags?: readonly string[] } = {},
): Promise<{ client: Client; pid: () => number }> {
  const client = clientFor(wish);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [helve, 'mcp', 'serve', ...flags],
    cwd: root,
    env,
  });
  await client.connect(transport);
  return { client, pid: () => transport.pid ?? 0 };
}

export interface ServedAddress {
  url: string;
  token: string;
  child: ChildProcess;
  stderr(): string;
}

export async function serveHttp(
  { root, env }: ServedFolder,
  { flags = [], port = [] }: { flags?: readonly string[]; port?: readonly string[] } = {},
): Promise<ServedAddress> {
  const child = spawn(process.execPath, [helve, 'mcp', 'serve', ...flags, '--http', ...port], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const [url, token] = [(await lines.next()).value, (await lines.next()).value].map((line) =>
    String(line).replace(/^\w+: /, ''),
  );
  return { url: url ?? '', token: token ?? '', child, stderr: () => stderr };
}

export async function connectByHttp(
  { url, token }: Pick<ServedAddress, 'url' | 'token'>,
  wish: ClientWish = {},
): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const client = clientFor(wish);
  const headers = { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  await client.connect(transport);
  return { client, transport };
}

/** A result's text, and whether it is a failure. */
export async function called(
  client: Client,
  name: string,
  input: Readonly<Record<string, unknown>>,
  options?: Parameters<Client['callTool']>[1],
): Promise<{ text: string; isError: boolean }> {
  const { content, isError = false } = await client.callTool({ name, arguments: { ...input } }, options);
  return { text: content.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n'), isError };
}

/** The messages of the questions that were put. */
export type ElicitLog = string[];

/** Answers every question alike. */
export const yes =
  (asked: ElicitLog, answer = 'allow once'): Elicit =>
  ({ message }) => {
    asked.push(message);
    return { action: 'accept', content: { answer } };
  };
