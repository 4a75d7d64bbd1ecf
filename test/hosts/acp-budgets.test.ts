import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type FakeAnswers, type FakeModelServer, startFakeModelServer } from '../../src/testing/index.js';
import { emptyFolder } from '../cli/run-helve.js';
import { startAcp, startSession } from './acp-client.js';

const usage = (input_tokens: number) => ({ usage: { input_tokens, output_tokens: 0 } });
const task = { description: 'x', prompt: 'Work.', subagent_type: 'general-purpose' };

async function serve(answers: FakeAnswers): Promise<FakeModelServer> {
  const server = await startFakeModelServer(answers);
  onTestFinished(async () => await server.close());
  return server;
}

test('a client can not get past the budget of the command with child agents, more prompts or more sessions', async () => {
  const answers: FakeAnswers = ({ body }) =>
    JSON.stringify(body.messages).includes('Delegate.')
      ? { calls: [{ name: 'Task', input: task }], ...usage(100) }
      : { calls: [{ name: 'Think', input: { thought: 'x' } }], ...usage(600) };
  const args = ['--max-budget-tokens', '1000', '--allowed-tools', 'Task'];
  const { client, sessionId } = await startSession(answers, { args });
  expect(await client.prompt(sessionId, 'Delegate.')).toMatchObject({ stopReason: 'max_turn_requests' });
  expect(client.server.requests).toHaveLength(3); // 100, then two of the child
  expect(await client.prompt(sessionId, 'Go on.')).toMatchObject({ stopReason: 'max_turn_requests' });
  const other = await client.newSession();
  expect(await client.prompt(other, 'And here?')).toMatchObject({ stopReason: 'max_turn_requests' });
  expect(client.server.requests).toHaveLength(3);
});

test('the budget of a session holds when it is loaded by another process, and a project can not raise it', async () => {
  const server = await serve(() => ({ text: 'ok', ...usage(600) }));
  const [cwd, home] = [await emptyFolder(), await emptyFolder()];
  const settings = JSON.stringify({ budget: { session: { tokens: 1000 } } });
  const start = { args: ['--settings', settings], server, cwd, home };
  const first = await startSession([], start);
  await first.client.prompt(first.sessionId, 'one');
  await first.client.prompt(first.sessionId, 'two');
  first.client.child.kill('SIGKILL');
  await first.client.closed;
  const { mkdir, writeFile } = await import('node:fs/promises');
  await mkdir(join(cwd, '.helve'));
  await writeFile(join(cwd, '.helve/settings.json'), JSON.stringify({ budget: { session: { tokens: 1_000_000 } } }));
  const again = await startAcp([], { ...start, args: [...start.args, '--trust'] });
  await again.initialize();
  const { sessionId } = first;
  await again.request('session/load', { sessionId, cwd, mcpServers: [] });
  expect(await again.prompt(sessionId, 'three')).toMatchObject({ stopReason: 'max_turn_requests' });
  expect(server.requests).toHaveLength(2);
  expect(again.text('agent_thought_chunk')).toContain(
    'The budget of 1,000 tokens for this session is used up (1,200 tokens spent)',
  );
});

test('helve acp --goal is worked towards in each new session, and --until needs it', async () => {
  const answers = [
    { text: 'Not yet.' },
    { calls: [{ name: 'Bash', input: { command: 'touch done' } }] },
    { text: 'Now.' },
  ];
  const args = ['--goal', 'There is a file.', '--until', 'test -e done', '--permission-mode', 'bypassPermissions'];
  const { client, sessionId } = await startSession(answers, { args });
  expect(await client.prompt(sessionId, 'Make it.')).toMatchObject({ stopReason: 'end_turn' });
  expect(readFileSync(join(client.cwd, 'done'), 'utf8')).toBe('');
  expect(client.server.requests).toHaveLength(3);
  const refused = await startAcp([], { args: ['--until', 'true'] });
  expect(await refused.closed).toBe(2);
  expect(refused.stderr).toContain('takes --until with --goal');
});
