// Real clients of the Agent Client Protocol against the built command line: acpx, and the client of the official SDK.
// They are not among the dependencies: the CI fetches them, and docs/acp.md says how to do it by hand.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder } from '../cli/run-helve.js';
import { fields, type Line } from '../cli/stream-json-host.js';
import { helveEnvironment } from './acp-client.js';
import { clientsFolder, type Recorded, schemaViolations } from './acp-schema.js';

const helve = resolve('bin/helve.cjs');
const tap = resolve('test/hosts/acp-tap.mjs');
const acpx = join(clientsFolder, 'acpx/dist/cli.js');
const sdk = join(clientsFolder, '@agentclientprotocol/sdk');

function withProgram(program: string, name: string, body: () => Promise<void>): void {
  test(name, async ({ skip }) => {
    if (!existsSync(program)) skip(`${program} is not there: docs/acp.md says how to fetch it.`);
    await body();
  });
}

interface Place {
  server: FakeModelServer;
  cwd: string;
  env: Record<string, string>;
  /** The command that starts helve acp and records what is said. */
  command: string[];
  traffic(): Recorded[];
  updates(): Line[];
}

async function place(answers: FakeAnswers): Promise<Place> {
  const server = await startFakeModelServer(answers);
  onTestFinished(() => server.close());
  const home = await mkdtemp(join(tmpdir(), 'helve-home-'));
  const log = join(home, 'traffic.jsonl');
  const traffic = (): Recorded[] =>
    readFileSync(log, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  return {
    server,
    cwd: await emptyFolder(),
    env: helveEnvironment(server, home),
    command: [process.execPath, tap, log, process.execPath, helve, 'acp'],
    traffic,
    updates: () =>
      traffic().flatMap(({ message }) =>
        message.method === 'session/update' ? [fields(fields(message.params)['update'])] : [],
      ),
  };
}

const expectValid = ({ traffic }: Place): void => expect(schemaViolations(traffic())).toEqual([]);

interface Ended {
  code: unknown;
  output: string;
}

/** acpx keeps an agent for a second after a command. A command that meets its end is refused, and is to be repeated. */
async function runAcpx(here: Place, args: readonly string[]): Promise<Ended> {
  const ended = await startAcpx(here, args);
  return ended.output.includes('QUEUE_OWNER_CLOSED') ? await runAcpx(here, args) : ended;
}

async function startAcpx({ cwd, env, command }: Place, args: readonly string[]): Promise<Ended> {
  const all = [acpx, '--agent', command.join(' '), '--cwd', cwd, '--format', 'json', '--ttl', '1', ...args];
  const child = spawn(process.execPath, all, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  const [code] = await once(child, 'exit');
  return { code, output };
}

/** A call that writes a file, then an answer. */
const writing = (cwd: () => string) => (_: unknown, number: number) =>
  number % 2 === 0
    ? { calls: [{ name: 'Write', id: `toolu_${number}`, input: { file_path: join(cwd(), 'a.txt'), content: 'hi\n' } }] }
    : { text: 'Done.' };

withProgram(acpx, 'acpx runs a prompt with a call that it approves', async () => {
  const here: Place = await place(writing(() => here.cwd));
  const { code, output } = await runAcpx(here, ['--approve-all', 'exec', 'write a.txt']);
  expect(output).toContain('end_turn');
  expect(code).toBe(0);
  expect(readFileSync(join(here.cwd, 'a.txt'), 'utf8')).toBe('hi\n');
  expectValid(here);
});

withProgram(acpx, 'acpx with --approve-all does not trust a folder by that: its hooks do not run', async () => {
  const here: Place = await place([{ text: 'Done.' }]);
  const hook = { hooks: [{ type: 'command', command: `touch ${join(here.cwd, 'hook-ran')}` }] };
  mkdirSync(join(here.cwd, '.claude'));
  writeFileSync(join(here.cwd, '.claude/settings.json'), JSON.stringify({ hooks: { UserPromptSubmit: [hook] } }));
  const { code } = await runAcpx(here, ['--approve-all', 'exec', 'hello']);
  expect(code).toBe(0);
  const asked = here.traffic().find(({ message }) => message.method === 'session/request_permission');
  expect(JSON.stringify(asked)).toContain('Trust the folder');
  expect(existsSync(join(here.cwd, 'hook-ran'))).toBe(false);
  expectValid(here);
});

withProgram(acpx, 'acpx denies a call, and the file is not written', async () => {
  const here: Place = await place(writing(() => here.cwd));
  await runAcpx(here, ['--deny-all', 'exec', 'write a.txt']);
  expect(existsSync(join(here.cwd, 'a.txt'))).toBe(false);
  expect(here.updates().findLast(({ toolCallId }) => toolCallId === 'toolu_0')).toMatchObject({ status: 'failed' });
  expectValid(here);
});

withProgram(acpx, 'acpx keeps a session over processes: new, prompt, mode, option, prompt again', async () => {
  const here: Place = await place([{ text: 'First.' }, { text: 'Second.' }]);
  const steps = [
    ['sessions', 'new', '--name', 'work'],
    ['prompt', '-s', 'work', 'one'],
    ['set-mode', '-s', 'work', 'plan'],
    ['set', '-s', 'work', 'model', 'anthropic/claude-haiku-4-5'],
    ['prompt', '-s', 'work', 'two'],
  ];
  for (const step of steps) {
    const { code, output } = await runAcpx(here, ['--approve-all', ...step]);
    expect(`${step.join(' ')}: ${code} ${code === 0 ? '' : output}`).toBe(`${step.join(' ')}: 0 `);
  }
  expect(here.server.requests).toHaveLength(2);
  expect(JSON.stringify(here.server.requests[1]?.body.messages)).toContain('First.');
  const methods = here.traffic().flatMap(({ from, message }) => (from === 'client' ? [message.method] : []));
  expect(methods).toEqual(expect.arrayContaining(['session/new', 'session/set_mode', 'session/set_config_option']));
  expectValid(here);
});

interface SdkContext {
  request(method: string, params: unknown): Promise<Line>;
  notify(method: string, params: unknown): Promise<void>;
}

/** The client of the official SDK. Its types are not there where it is not installed. */
async function withSdk(
  { command: [program = '', ...args], env, cwd }: Place,
  answer: (request: Line) => unknown,
  work: (context: SdkContext, updates: Line[]) => Promise<void>,
): Promise<void> {
  const entry = createRequire(join(clientsFolder, 'x.js')).resolve('@agentclientprotocol/sdk');
  const { client, ndJsonStream } = await import(entry);
  const child = spawn(program, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  const updates: Line[] = [];
  const app = client({ name: 'test' })
    .onRequest('session/request_permission', ({ params }: { params: Line }) => answer(params))
    .onNotification('session/update', ({ params }: { params: Line }) => void updates.push(params));
  const stream = ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout));
  await app.connectWith(stream, async (context: SdkContext) => {
    await context.request('initialize', { protocolVersion: 1, clientCapabilities: {} });
    const bound: SdkContext = {
      request: (method, params) => context.request(method, params),
      notify: (method, params) => context.notify(method, params),
    };
    await work(bound, updates);
  });
  child.stdin.end();
  await closed;
}

const sdkTest = (name: string, body: () => Promise<void>): void => withProgram(join(sdk, 'package.json'), name, body);

sdkTest('the official SDK runs a conversation with a call, a question, a load and a list', async () => {
  const here: Place = await place(writing(() => here.cwd));
  const allow = () => ({ outcome: { outcome: 'selected', optionId: 'allow' } });
  let sessionId: unknown;
  await withSdk(here, allow, async ({ request }, updates) => {
    ({ sessionId } = await request('session/new', { cwd: here.cwd, mcpServers: [] }));
    const prompt = [{ type: 'text', text: 'write a.txt' }];
    expect(await request('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
    expect(JSON.stringify(updates)).toContain('"tool_call"');
    await request('session/close', { sessionId });
    const { sessions } = await request('session/list', { cwd: here.cwd });
    expect(sessions).toMatchObject([{ sessionId }]);
    await request('session/load', { sessionId, cwd: here.cwd, mcpServers: [] });
    await request('session/set_mode', { sessionId, modeId: 'acceptEdits' });
    expect(await request('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
  });
  expect(readFileSync(join(here.cwd, 'a.txt'), 'utf8')).toBe('hi\n');
  expectValid(here);
});

sdkTest('the official SDK cancels a prompt while it is asked, and two sessions run at once', async () => {
  const here: Place = await place((request) =>
    JSON.stringify(request.body.messages).includes('quick') ? { text: 'Quick.' } : writing(() => here.cwd)(request, 0),
  );
  await withSdk(
    here,
    () => new Promise(() => {}),
    async ({ request, notify }, updates) => {
      const slow = await request('session/new', { cwd: here.cwd, mcpServers: [] });
      const quick = await request('session/new', { cwd: here.cwd, mcpServers: [] });
      const cancelled = request('session/prompt', {
        sessionId: slow['sessionId'],
        prompt: [{ type: 'text', text: 'slow' }],
      });
      const { sessionId } = quick;
      const prompt = [{ type: 'text', text: 'quick' }];
      expect(await request('session/prompt', { sessionId, prompt })).toMatchObject({ stopReason: 'end_turn' });
      await notify('session/cancel', { sessionId: slow['sessionId'] });
      expect(await cancelled).toMatchObject({ stopReason: 'cancelled' });
      expect(JSON.stringify(updates)).toContain('Quick.');
    },
  );
  expectValid(here);
});
