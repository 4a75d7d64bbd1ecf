// A whole run on a machine with a person's files and a project's, against a model server that keeps what it was sent.
import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createAgent, type FullAgent } from '../../src/compose/create-agent.js';
import type { FullAgentOptions } from '../../src/compose/options.js';
import type { AgentEvent, RunResult } from '../../src/contract/event.js';
import { anthropicModel } from '../../src/models/wire/anthropic/anthropic.js';
import { watchSettings } from '../../src/settings/watch.js';
import { type FakeAnswer, type FakeModelServer, startFakeModelServer } from '../../src/testing/fake-model-server.js';

export interface Instructed {
  agent: FullAgent;
  server: FakeModelServer;
  path(name: string): string;
  run(prompt: string): Promise<Run>;
  /** All that a request held, the first by default. */
  sent(request?: number): string;
  /** Of its system blocks, the last. */
  lastBlock(request?: number): string;
}

export interface Run {
  events: AgentEvent[];
  result: RunResult;
  notices: string[];
}

interface Options {
  /** Below a folder with `home` and `project`; a link is written as `{ link: target }`. */
  files: Readonly<Record<string, string | { link: string }>>;
  answers?: readonly FakeAnswer[];
  trust?: boolean;
  options?: Partial<FullAgentOptions>;
}

const opened: Array<() => Promise<void>> = [];

export async function closeAll(): Promise<void> {
  for (const close of opened.splice(0)) await close();
}

export async function instructedAgent({
  files,
  answers = [],
  trust = false,
  options = {},
}: Options): Promise<Instructed> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'helve-instructed-')));
  const path = (name: string): string => join(folder, name);
  for (const name of ['home', 'project']) mkdirSync(path(name));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    if (typeof content === 'string') writeFileSync(path(name), content);
    else symlinkSync(content.link, path(name));
  }
  const server = await startFakeModelServer((_, number) => answers[number] ?? { text: 'Done.' });
  const place = { root: path('project'), home: path('home'), env: {}, managedFolder: path('managed') };
  const agent = createAgent({
    model: anthropicModel({ name: 'claude-test', apiKey: 'k', baseUrl: server.url }),
    ...place,
    dataFolder: path('home/.helve'),
    settings: await watchSettings({ ...place, trust }),
    instructions: true,
    ...options,
  });
  opened.push(async () => {
    await agent.end();
    await server.close();
  });
  return {
    agent,
    server,
    path,
    sent: (request = 0) => server.requests[request]?.text ?? '',
    lastBlock(request = 0) {
      const { system } = server.requests[request]?.body ?? {};
      const last = Array.isArray(system) ? system.at(-1) : undefined;
      return typeof last?.text === 'string' ? last.text : '';
    },
    async run(prompt) {
      const events: AgentEvent[] = [];
      for await (const event of agent.run(prompt)) events.push(event);
      const result = events.at(-1);
      if (result?.type !== 'result') throw new Error('The run ended without a result.');
      return { events, result, notices: events.flatMap((event) => (event.type === 'notice' ? [event.text] : [])) };
    },
  };
}
