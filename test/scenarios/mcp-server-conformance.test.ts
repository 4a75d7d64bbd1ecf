import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import { resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { AskUser } from '../../src/contract/question.js';
import { serveOverHttp } from '../../src/mcp/server/serve-http.js';
import type { ServedCall, ServedResult, ServedSession } from '../../src/mcp/server/serve-port.js';
import { servedFolder, serveHttp } from './mcp-server-client.js';
import { runInspector, runSuite, withInspector, withSuite } from './official-suite.js';

/** What the suite expects of its own example server and Helve does not have, by design; docs/mcp.md says why. */
const expectedFailures = {
  'it calls tools of its own names': [
    'tools-call-simple-text',
    'tools-call-image',
    'tools-call-audio',
    'tools-call-embedded-resource',
    'tools-call-mixed-content',
    'tools-call-with-logging',
    'tools-call-error',
    'tools-call-with-progress',
    'tools-call-sampling',
    'tools-call-elicitation',
    'elicitation-sep1034-defaults',
    'elicitation-sep1330-enums',
  ],
  'Helve has tools only': [
    'logging-set-level',
    'completion-complete',
    'resources-list',
    'resources-read-text',
    'resources-read-binary',
    'resources-templates-read',
    'resources-subscribe',
    'resources-unsubscribe',
    'prompts-list',
    'prompts-get-simple',
    'prompts-get-with-args',
    'prompts-get-embedded-resource',
    'prompts-get-with-image',
  ],
};

test('the docs explain each failure of the server that is expected', async () => {
  const page = await readFile('docs/mcp.md', 'utf8');
  expect(
    Object.values(expectedFailures)
      .flat()
      .filter((name) => !page.includes(`\`${name}\``)),
  ).toEqual([]);
});

withSuite('passes the conformance suite but for what it has not by design', async () => {
  const { url, token } = await serveHttp(await servedFolder());
  const names = Object.values(expectedFailures).flat();
  const run = await runSuite('server', ['--url', await withToken(url, token)], names);
  expect(run).toMatchObject({ code: 0 });
});

withSuite('with the tools that the suite calls, their results are as it wants them', async () => {
  const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const results: Readonly<Record<string, (call: ServedCall, askUser?: AskUser) => Promise<ServedResult>>> = {
    test_simple_text: async () => ({ content: 'This is a simple text response for testing.' }),
    test_image_content: async () => ({
      content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: pixel } }],
    }),
    test_error_handling: async () => ({ content: 'It failed, as it should.', failure: 'exception' }),
    test_tool_with_progress: async ({ onProgress }) => {
      for (const text of ['0', '50', '100']) {
        onProgress(text);
        await new Promise((done) => setImmediate(done));
      }
      return { content: 'done' };
    },
    test_elicitation: async ({ input, signal }, askUser) => {
      const question = { question: String(input['message']), header: 'Suite', options: [] };
      return { content: JSON.stringify(await askUser?.([question], signal)) };
    },
    json_schema_2020_12_tool: async () => ({ content: 'done' }),
  };
  const open = ({ askUser }: { askUser?: AskUser }): ServedSession => ({
    tools: async () => tools,
    call: async (call) =>
      (await results[call.name]?.(call, askUser)) ?? { content: `There is no ${call.name}.`, failure: 'unknown_tool' },
    async end() {},
  });
  const tools = Object.keys(results).map((name) => ({
    name,
    description: name,
    inputSchema: name.startsWith('json_schema') ? schemaOf2020 : { type: 'object' },
    effects: async () => [],
  }));
  const identity = { name: 'suite', version: '1', instructions: '' };
  const service = await serveOverHttp({ port: 0, token: 'token', open, identity, onProblem() {} });
  onTestFinished(async () => await service.close());
  const url = await withToken(service.url, 'token');
  const kinds = ['simple-text', 'image', 'error', 'with-progress', 'elicitation'];
  for (const scenario of [...kinds.map((kind) => `tools-call-${kind}`), 'json-schema-2020-12']) {
    const { code, output } = await runSuite('server', ['--url', url, '--scenario', scenario]);
    expect(code, output).toBe(0);
  }
});

const schemaOf2020 = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } } },
  properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
  additionalProperties: false,
};

withInspector(
  'the inspector lists and calls tools over both transports, and is refused where a rule denies',
  async () => {
    const folder = await servedFolder({ 'a.txt': 'one\n' });
    const flags = ['--disallowed-tools', 'Read(secret.txt)'];
    const { url, token } = await serveHttp(folder, { flags });
    const command = [process.execPath, resolve('bin/helve.cjs'), 'mcp', 'serve', ...flags];
    const address = [url, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
    const place = { cwd: folder.root, env: folder.env };
    const read = (name: string): string[] => [
      ...['--method', 'tools/call', '--tool-name', 'Read', '--tool-arg', `file_path=${name}`],
    ];
    for (const target of [command, address]) {
      const list = await runInspector([...target, '--method', 'tools/list'], place);
      expect(JSON.parse(list.output)).toMatchObject({
        tools: expect.arrayContaining([expect.objectContaining({ name: 'Read' })]),
      });
      const answer = await runInspector([...target, ...read('a.txt')], place);
      expect(JSON.parse(answer.output)).toMatchObject({ content: [{ type: 'text', text: '1\tone' }] });
      const refusal = await runInspector([...target, ...read('secret.txt')], place);
      expect(refusal.output).toMatch(/"isError": true/);
      expect(refusal.output).toContain('Read was not run');
    }
  },
);

/** The suite can't send a token, so it speaks to this, which adds it and changes nothing else but our own name. */
async function withToken(target: string, token: string): Promise<string> {
  const { hostname, port, host, pathname } = new URL(target);
  const proxy = createServer((incoming, outgoing) => {
    const own = incoming.headers.host === new URL(url).host ? host : incoming.headers.host;
    const headers = { ...incoming.headers, host: own, authorization: `Bearer ${token}` };
    const onward = request({ hostname, port, path: pathname, method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`;
  return url;
}
