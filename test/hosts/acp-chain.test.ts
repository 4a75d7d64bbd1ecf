// Whole conversations of an ACP client with the ACP adapter of Claude Code, its SDK, and Helve at the end of the chain.
// The CI fetches the adapter; where it is missing, the tests are skipped and say so.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { FakeAnswers } from '../../src/testing/index.js';
import { emptyFolder, fileAppears, isRunning } from '../cli/run-helve.js';
import { fields } from '../cli/stream-json-host.js';
import { AcpTestClient, selected } from './acp-client.js';
import { clientsFolder } from './acp-schema.js';
import { helve, type Place, place } from './agent-sdk.js';

const adapter = join(clientsFolder, '@agentclientprotocol/claude-agent-acp/dist/index.js');

function chainTest(name: string, body: () => Promise<void>): void {
  test(name, async ({ skip }) => {
    if (!existsSync(adapter)) skip(`${adapter} is not there: .ci/run fetches it.`);
    await body();
  });
}

/** A client of an adapter process that was started for it. */
function connect({ cwd, options, server }: Place): AcpTestClient {
  const env = { ...(options['env'] as NodeJS.ProcessEnv), CLAUDE_CODE_EXECUTABLE: helve }; // as `place` made it
  const child = spawn(process.execPath, [adapter], { cwd, env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
  });
  return new AcpTestClient(child, server, cwd);
}

async function start(answers: FakeAnswers): Promise<{ at: Place; client: AcpTestClient; sessionId: string }> {
  const at = await place(answers);
  const client = connect(at);
  await client.initialize();
  return { at, client, sessionId: await client.newSession() };
}

const touch = (name: string) => ({
  calls: [{ name: 'Bash', id: `toolu_${name}`, input: { command: `touch ${name}` } }],
});

/** The option of this kind, as a person would choose it. */
const choosing = (kind: string) => (request: { params: Record<string, unknown> }) => {
  const options = Array.isArray(request.params['options']) ? request.params['options'].map(fields) : [];
  return selected(String(options.find((option) => option['kind'] === kind)?.['optionId']));
};

chainTest('a conversation of several prompts: a call is denied, another is allowed, and both are told', async () => {
  const answers = [touch('a'), { text: 'Not made.' }, touch('b'), { text: 'Made.' }];
  const { client, sessionId } = await start(answers);
  client.reply = choosing('reject_once');
  await client.prompt(sessionId, 'make a');
  expect(existsSync(join(client.cwd, 'a'))).toBe(false);
  client.reply = choosing('allow_once');
  expect(await client.prompt(sessionId, 'make b')).toMatchObject({ stopReason: 'end_turn' });
  expect(existsSync(join(client.cwd, 'b'))).toBe(true);
  const ends = ['toolu_a', 'toolu_b'].map((id) =>
    client.updates().findLast(({ toolCallId, status }) => toolCallId === id && status !== undefined),
  );
  expect(ends).toMatchObject([{ status: 'failed' }, { status: 'completed' }]);
  expect(client.text()).toContain('Made.');
  client.expectValidTraffic();
});

chainTest('session/cancel ends a running command, and the next prompt runs', async () => {
  const { client, sessionId } = await start([
    { calls: [{ name: 'Bash', id: 'toolu_s', input: { command: 'echo $$ > pid; sleep 600' } }] },
    { text: 'Going on.' },
  ]);
  client.reply = choosing('allow_once');
  const prompt = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'sleep' }] });
  await fileAppears(client.cwd, 'pid');
  client.send({ method: 'session/cancel', params: { sessionId } });
  expect((await client.answerTo(prompt)).result).toMatchObject({ stopReason: 'cancelled' });
  const pid = Number((await readFile(join(client.cwd, 'pid'), 'utf8')).trim());
  expect(pid > 0 && isRunning(pid)).toBe(false);
  expect(await client.prompt(sessionId, 'go on')).toMatchObject({ stopReason: 'end_turn' });
  expect(client.text()).toContain('Going on.');
  client.expectValidTraffic();
});

chainTest('a session is loaded and resumed by other processes, and its conversation goes on', async () => {
  const { at, client, sessionId } = await start([{ text: 'First.' }, { text: 'Second.' }, { text: 'Third.' }]);
  await client.prompt(sessionId, 'one');
  client.child.stdin?.end();
  await client.closed;

  const loading = connect(at);
  await loading.initialize();
  await loading.request('session/load', { sessionId, cwd: at.cwd, mcpServers: [] });
  expect([loading.text('user_message_chunk'), loading.text()]).toEqual(['one', 'First.']);
  await loading.prompt(sessionId, 'two');
  loading.expectValidTraffic();
  loading.child.stdin?.end();
  await loading.closed;

  const resuming = connect(at);
  await resuming.initialize();
  await resuming.request('session/resume', { sessionId, cwd: at.cwd, mcpServers: [] });
  expect(resuming.text()).toBe('');
  await resuming.prompt(sessionId, 'three');
  expect(resuming.text()).toBe('Third.');
  const sent = JSON.stringify(at.server.requests.at(-1)?.body.messages);
  for (const words of ['one', 'First.', 'two', 'Second.', 'three']) expect(sent).toContain(words);
  resuming.expectValidTraffic();
});

chainTest('two sessions of one adapter run at once, each with its own answer', async () => {
  const { client, sessionId } = await start((request) => ({
    text: JSON.stringify(request.body.messages).includes('say one') ? 'ONE' : 'TWO',
  }));
  const { sessionId: other } = await client.request('session/new', { cwd: await emptyFolder(), mcpServers: [] });
  const ends = await Promise.all([client.prompt(sessionId, 'say one'), client.prompt(String(other), 'say two')]);
  expect(ends).toMatchObject([{ stopReason: 'end_turn' }, { stopReason: 'end_turn' }]);
  expect(client.text('agent_message_chunk', sessionId)).toBe('ONE');
  expect(client.text('agent_message_chunk', other)).toBe('TWO');
  client.expectValidTraffic();
});

chainTest('a session without a prompt is resumed by another process', async () => {
  const { at, client, sessionId } = await start([{ text: 'Here.' }]);
  client.child.stdin?.end();
  await client.closed;
  const resuming = connect(at);
  await resuming.initialize();
  await resuming.request('session/resume', { sessionId, cwd: at.cwd, mcpServers: [] });
  expect(await resuming.prompt(sessionId, 'are you there')).toMatchObject({ stopReason: 'end_turn' });
  expect(resuming.text()).toBe('Here.');
  resuming.expectValidTraffic();
});

chainTest('the effort is chosen among the levels of the model, and sent to it', async () => {
  const { at, client, sessionId } = await start([{ text: 'Thought.' }]);
  const answer = await client.request('session/set_config_option', { sessionId, configId: 'effort', value: 'low' });
  const options = Array.isArray(answer['configOptions']) ? answer['configOptions'].map(fields) : [];
  expect(options.find(({ id }) => id === 'effort')).toMatchObject({ currentValue: 'low' });
  await client.prompt(sessionId, 'think');
  expect(JSON.stringify(at.server.requests.at(-1)?.body)).toContain('"effort":"low"');
  client.expectValidTraffic();
});
