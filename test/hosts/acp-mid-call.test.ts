// What a client does in the middle of a call: it cancels, or it is gone.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished, test } from 'vitest';
import { emptyFolder, fileAppears, isRunning } from '../cli/run-helve.js';
import { fields } from '../cli/stream-json-host.js';
import { everythingServer } from '../counterparts.js';
import { selected, startAcp, startSession } from './acp-client.js';

test('session/cancel ends a running command with all its processes, and the next prompt runs', async () => {
  const { client, sessionId } = await startSession(
    [
      { calls: [{ name: 'Bash', id: 'toolu_b', input: { command: 'echo $$ > pid; sleep 600' } }] },
      { text: 'Going on.' },
    ],
    { args: ['--dangerously-skip-permissions'] },
  );
  const prompt = client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'sleep' }] });
  await fileAppears(client.cwd, 'pid');
  client.send({ method: 'session/cancel', params: { sessionId } });
  expect((await client.answerTo(prompt)).result).toEqual({ stopReason: 'cancelled' });
  const pid = Number((await readFile(join(client.cwd, 'pid'), 'utf8')).trim());
  expect(pid > 0 && isRunning(pid)).toBe(false);
  expect(client.updates(sessionId).findLast(({ toolCallId }) => toolCallId === 'toolu_b')).toMatchObject({
    status: 'failed',
  });
  expect(await client.prompt(sessionId, 'go on')).toEqual({ stopReason: 'end_turn' });
  expect(client.text()).toContain('Going on.');
  await client.end();
});

test('a client that is gone while it is asked: the call does not run, and the session can be loaded', async () => {
  const [home, cwd] = [await mkdtemp(join(tmpdir(), 'helve-home-')), await emptyFolder()];
  const { client, sessionId } = await startSession(
    (_, number) =>
      number === 0
        ? { calls: [{ name: 'Bash', id: 'toolu_b', input: { command: 'touch made' } }] }
        : { text: 'It was not run.' },
    { home, cwd },
  );
  client.reply = () => 'none';
  client.start('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'touch it' }] });
  await client.find(({ method }) => method === 'session/request_permission');
  client.child.stdin?.end();
  await client.closed;

  const second = await startAcp([], { home, cwd, server: client.server });
  await second.initialize();
  await second.request('session/load', { sessionId, cwd, mcpServers: [] });
  expect(second.text('user_message_chunk')).toContain('touch it');
  expect(second.updates(sessionId).findLast(({ toolCallId }) => toolCallId === 'toolu_b')).toMatchObject({
    status: 'failed',
  });
  expect(await second.prompt(sessionId, 'what happened?')).toEqual({ stopReason: 'end_turn' });
  const { messages } = client.server.requests[1]?.body ?? {};
  expect(JSON.stringify(messages)).toMatch(/tool_result.*toolu_b|toolu_b.*tool_result/);
  const { readdir } = await import('node:fs/promises');
  expect(await readdir(cwd)).toEqual([]);
  await second.end();
});

test("a client's MCP server over HTTP is used, with its headers, and its tools ask", async ({ skip }) => {
  const { path: everything, isThere, missing } = everythingServer();
  if (!isThere) skip(missing);
  const client = await startAcp((_, number) =>
    number === 0
      ? { calls: [{ name: 'mcp__web__echo', id: 'toolu_m', input: { message: 'over http' } }] }
      : { text: 'ok' },
  );
  const port = await unusedPort();
  const child = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  for await (const line of createInterface({ input: child.stderr })) if (line.includes(String(port))) break;
  child.stderr.resume();
  await client.initialize();
  const headers = [{ name: 'X-Key', value: 'k' }];
  const url = `http://127.0.0.1:${port}/mcp`;
  const sessionId = await client.newSession({ mcpServers: [{ type: 'http', name: 'web', url, headers }] });
  client.reply = () => selected('allow');
  await client.prompt(sessionId, 'x');
  expect(client.asked('session/request_permission').map(({ toolCall }) => fields(toolCall)['toolCallId'])).toEqual([
    'toolu_m',
  ]);
  expect(JSON.stringify(client.server.requests[1]?.body.messages)).toContain('Echo: over http');
  await client.end();
});

async function unusedPort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
