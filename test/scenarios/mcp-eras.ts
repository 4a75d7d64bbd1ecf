// A server whose era a test can change, and engines that share a data folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { createEngine } from '../../src/compose/create-engine.js';
import type { FullEngineOptions } from '../../src/compose/options.js';
import type { AgentHappening } from '../../src/contract/event.js';
import type { ToolResultBlock } from '../../src/contract/message.js';

const program = resolve('test/fixtures/mcp/era-server.mjs');

export interface EraServer {
  /** Changes what the server is. */
  become(state: Readonly<Record<string, unknown>>): Promise<void>;
  /** The methods that it was asked for since the last look. */
  asked(): Promise<string[]>;
  /** Starts an engine with the server, as a new start of Helve would. */
  start(options?: Omit<FullEngineOptions, 'root' | 'dataFolder'>): Promise<Started>;
  dataFolder: string;
  /** Its entry in settings. */
  entry: object;
}

export interface Started {
  state: string;
  detail: string;
  tools(): string[];
  call(tool: string, input?: object, signal?: AbortSignal): Promise<string>;
  /** Of any tool of the engine. */
  callTool(name: string, input: object): Promise<string>;
  happened: AgentHappening[];
  end(): Promise<void>;
}

export async function eraServer(over: 'stdio' | 'http', state: Readonly<Record<string, unknown>>): Promise<EraServer> {
  const folder = await mkdtemp(join(tmpdir(), 'helve-eras-'));
  onTestFinished(async () => await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  const [stateFile, logFile] = [join(folder, 'state.json'), join(folder, 'log')];
  await Promise.all([writeFile(stateFile, JSON.stringify(state)), writeFile(logFile, '')]);
  const args = [program, over, stateFile, logFile];
  const entry =
    over === 'stdio' ? { command: process.execPath, args } : { type: 'http' as const, url: await serving(args) };
  const dataFolder = join(folder, 'data');
  let seen = 0;
  return {
    dataFolder,
    entry,
    async become(next) {
      await writeFile(`${stateFile}.next`, JSON.stringify(next));
      await rename(`${stateFile}.next`, stateFile); // the server may be reading it
    },
    async asked() {
      const lines = (await readFile(logFile, 'utf8')).split('\n').slice(0, -1);
      const fresh = lines.slice(seen);
      seen = lines.length;
      return fresh;
    },
    start: async (options = {}) =>
      await started({
        permissionMode: 'bypassPermissions',
        ...options,
        root: folder,
        dataFolder,
        mcpServers: { era: entry },
      }),
  };
}

async function serving(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'close');
  });
  const [line] = await once(child.stdout, 'data');
  return String(line).trim();
}

async function started(options: FullEngineOptions): Promise<Started> {
  const engine = createEngine(options);
  onTestFinished(() => engine.end());
  await engine.servers.settled();
  const happened: AgentHappening[] = [];
  let number = 0;
  const callTool = async (name: string, input: object, signal = new AbortController().signal): Promise<string> => {
    number += 1;
    const call = { id: `c${number}`, name, input: { ...input } };
    const [result] = await engine.callTools([call], { signal, onEvent: (event) => happened.push(event) });
    return result ? textOf(result) : '';
  };
  const [server] = engine.servers.states();
  return {
    state: server?.status ?? 'missing',
    detail: server?.detail ?? '',
    tools: () =>
      engine.session.tools.all.flatMap(({ source, tool }) =>
        source === 'mcp' ? [tool.name.replace('mcp__era__', '')] : [],
      ),
    call: (tool, input = {}, signal) => callTool(`mcp__era__${tool}`, input, signal),
    callTool,
    happened,
    end: () => engine.end(),
  };
}

const textOf = ({ content }: ToolResultBlock): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : '(image)')).join('\n');
