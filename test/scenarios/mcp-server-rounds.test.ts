// Questions of the server in the revision of 2026-07-28, where the client sends a request again with the answers.
import { expect, test } from 'vitest';
import type { McpInputRequest } from '../../src/contract/mcp-serving.js';
import type { OpenSession } from '../../src/mcp/server/serve-port.js';
import { until } from '../../src/testing/watch-processes.js';
import { serveWith } from './mcp-server-raw.js';

const META = 'io.modelcontextprotocol';
const forms = { elicitation: { form: {} } };

type Answer = Record<string, unknown> & { requestState?: string };

/** Sends a request of the newest revision. */
async function rpc(url: string, method: string, params: object, capabilities: object = forms) {
  const _meta = { [`${META}/protocolVersion`]: '2026-07-28', [`${META}/clientCapabilities`]: capabilities };
  const name: Record<string, string> = 'name' in params ? { 'Mcp-Name': String(params.name) } : {};
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: 'Bearer token',
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
      ...name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  });
  const { result, error }: { result?: Answer; error?: Record<string, unknown> } = JSON.parse(await answer.text());
  return { status: answer.status, result: result ?? {}, error };
}

const question = (message: string): McpInputRequest => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: {} } },
});
const accept = (content: object) => ({ action: 'accept', content });

/** Sessions whose call asks through the client, as a tool of a program does, and takes note of its end. */
function asking(ask: (client: Parameters<OpenSession>[0]['mcpClient'], signal: AbortSignal) => Promise<unknown>) {
  const log: string[] = [];
  const open: OpenSession = ({ mcpClient }) => ({
    tools: async () => [],
    async call({ signal, name }) {
      log.push(`began ${name}`);
      try {
        return { content: JSON.stringify(await ask(mcpClient, signal)) };
      } catch (error) {
        log.push(`ended ${name}: ${error instanceof Error ? error.message : ''}`);
        return { content: 'failed', failure: 'exception' };
      }
    },
    async end() {},
  });
  return { open, log };
}

const askOne = asking(async (client, signal) => await client.request({ who: question('Who?') }, signal)).open;

test('a call runs once, and continues with the answers', async () => {
  const { open, log } = asking(async (client, signal) => await client.request({ who: question('Who?') }, signal));
  const { url } = await serveWith({ open });
  const { result } = await rpc(url, 'tools/call', { name: 'x' });
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { who: { method: 'elicitation/create', params: { message: 'Who?' } } },
  });
  const { requestState } = result;
  const inputResponses = { who: accept({ name: 'Ada' }), other: accept({}) };
  const end = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses });
  expect(end.result).toMatchObject({ content: [{ text: JSON.stringify({ who: accept({ name: 'Ada' }) }) }] });
  expect(log).toEqual(['began x']);
  const again = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses });
  expect(again.error).toMatchObject({ code: -32_602, message: expect.stringContaining('No call waits') });
});

test('an answer that is missing, or of another kind, is asked for again', async () => {
  const { url } = await serveWith({ open: askOne });
  const { result } = await rpc(url, 'tools/call', { name: 'x' });
  const { requestState } = result;
  for (const inputResponses of [{}, { wrong: accept({}) }, { who: { roots: [] } }, { who: { action: 'perhaps' } }]) {
    const next = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses });
    expect(next.result).toMatchObject({ resultType: 'input_required', requestState, inputRequests: { who: {} } });
  }
  const end = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses: { who: { action: 'decline' } } });
  expect(end.result).toMatchObject({ resultType: 'complete' });
});

test('answers continue only the request that they were asked for', async () => {
  const { url } = await serveWith({ open: askOne });
  const { requestState } = (await rpc(url, 'tools/call', { name: 'x' })).result;
  const inputResponses = { who: accept({}) };
  const other = await rpc(url, 'tools/call', { name: 'y', requestState, inputResponses });
  expect(other.error).toMatchObject({ code: -32_602 });
  const own = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses });
  expect(own.result).toMatchObject({ resultType: 'complete' });
});

test('only questions of a program may be answered before they are asked', async () => {
  const inputResponses = { who: accept({ early: true }), question: accept({ words_1: 'yes' }) };
  const program = await serveWith({ open: askOne });
  const { result } = await rpc(program.url, 'tools/call', { name: 'x', inputResponses });
  expect(result).toMatchObject({ content: [{ text: expect.stringContaining('early') }] });
  const open: OpenSession = ({ askUser }) => ({
    tools: async () => [],
    call: async ({ signal }) => ({
      content: JSON.stringify(await askUser?.([{ question: 'Sure?', header: 'x', options: [] }], signal)),
    }),
    async end() {},
  });
  const own = await serveWith({ open });
  const asked = await rpc(own.url, 'tools/call', { name: 'x', inputResponses });
  expect(asked.result).toMatchObject({ resultType: 'input_required', inputRequests: { question: {} } });
});

test('questions that are asked at the same time are sent one after another', async () => {
  const { open } = asking(
    async (client, signal) =>
      await Promise.all([
        client.request({ one: question('One?') }, signal),
        client.request({ two: question('Two?') }, signal),
      ]),
  );
  const { url } = await serveWith({ open });
  const first = await rpc(url, 'tools/call', { name: 'x' });
  expect(Object.keys(first.result['inputRequests'] ?? {})).toEqual(['one']);
  const [one, two] = [{ one: accept({ n: 1 }) }, { two: accept({ n: 2 }) }];
  const state = first.result.requestState;
  const second = await rpc(url, 'tools/call', { name: 'x', requestState: state, inputResponses: one });
  expect(Object.keys(second.result['inputRequests'] ?? {})).toEqual(['two']);
  const { requestState } = second.result;
  const end = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses: two });
  expect(end.result).toMatchObject({ content: [{ text: JSON.stringify([one, two]) }] });
});

test('a question that was withdrawn does not hold up the next', async () => {
  const { open } = asking(async (client, signal) => {
    const withdrawn = new AbortController();
    const first = client.request({ one: question('One?') }, withdrawn.signal);
    await new Promise((later) => setImmediate(later));
    withdrawn.abort();
    await first.catch(() => {});
    return await client.request({ two: question('Two?') }, signal);
  });
  const { url } = await serveWith({ open });
  const first = await rpc(url, 'tools/call', { name: 'x' });
  const requestState = first.result.requestState;
  const second = await rpc(url, 'tools/call', { name: 'x', requestState, inputResponses: { one: accept({}) } });
  expect(Object.keys(second.result['inputRequests'] ?? {})).toEqual(['two']);
});

test('a client that has not declared what a request needs gets an error, and the call ends', async () => {
  const { open, log } = asking(async (client, signal) => await client.request({ who: question('Who?') }, signal));
  const { url } = await serveWith({ open });
  const { status, error } = await rpc(url, 'tools/call', { name: 'x' }, { sampling: {} });
  expect({ status, error }).toMatchObject({
    status: 400,
    error: { code: -32_021, data: { requiredCapabilities: { elicitation: { form: {} } } } },
  });
  await until(() => log.length === 2);
});

test('beyond the limit, the call that has waited longest ends', async () => {
  const { open, log } = asking(async (client, signal) => await client.request({ who: question('Who?') }, signal));
  const { url } = await serveWith({ open, maxWaiting: 2 });
  const states: Array<string | undefined> = [];
  for (const name of ['a', 'b', 'c']) states.push((await rpc(url, 'tools/call', { name })).result.requestState);
  await until(() => log.some((line) => line.startsWith('ended a: More than 2 calls wait')));
  const [a, b, c] = await Promise.all(
    ['a', 'b', 'c'].map(
      async (name, index) =>
        await rpc(url, 'tools/call', { name, requestState: states[index], inputResponses: { who: accept({}) } }),
    ),
  );
  expect([a?.error?.['code'], b?.result['resultType'], c?.result['resultType']]).toEqual([
    -32_602,
    'complete',
    'complete',
  ]);
});

test('one client that shows no forms does not decide for the others', async () => {
  const opened: boolean[] = [];
  const { url } = await serveWith({
    open: ({ askPermission, mcpClient }) => {
      opened.push(askPermission !== undefined);
      return asking(async () => mcpClient.supports('elicitation/create')).open({ mcpClient });
    },
  });
  const [without, also] = [
    await rpc(url, 'tools/call', { name: 'x' }, {}),
    await rpc(url, 'tools/call', { name: 'x' }),
  ];
  expect([without.result, also.result]).toMatchObject([
    { content: [{ text: 'false' }] },
    { content: [{ text: 'true' }] },
  ]);
  await rpc(url, 'tools/list', {}, {});
  expect(opened).toEqual([false, true]);
});

test('there are no more open streams of notifications than the limit', async () => {
  const { url } = await serveWith({ maxSubscriptions: 1 });
  const open = new AbortController();
  const listen = async (signal: AbortSignal): Promise<string> => {
    const _meta = { [`${META}/protocolVersion`]: '2026-07-28', [`${META}/clientCapabilities`]: {} };
    const params = { notifications: { toolsListChanged: true }, _meta };
    const { body } = await fetch(url, {
      method: 'POST',
      headers: {
        Authorization: 'Bearer token',
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': '2026-07-28',
        'Mcp-Method': 'subscriptions/listen',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 5, method: 'subscriptions/listen', params }),
      signal,
    });
    const { value } = (await body?.getReader().read()) ?? {};
    return new TextDecoder().decode(value);
  };
  expect(await listen(open.signal)).toContain('notifications/subscriptions/acknowledged');
  expect(await listen(AbortSignal.timeout(60_000))).toContain('Subscription limit reached');
  open.abort();
  await until(async () => (await listen(new AbortController().signal)).includes('acknowledged'));
});
