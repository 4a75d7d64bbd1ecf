// AWS's own client reads the same streams as the adapter and signs the same requests. The CI fetches it; where it is
// missing, the tests are skipped and say so.
import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ModelRequest } from '../../contract/model.js';
import { anthropicSseEvents } from '../../testing/anthropic-format.js';
import { fakeAwsKeys } from '../../testing/bedrock-format.js';
import { type FakeAnswer, type FakeModelServer, startFakeModelServer } from '../../testing/fake-model-server.js';
import { chooseModel } from '../catalogue/choose-model.js';
import { encodeSegment, sha256Hex, signatureHeaders } from './aws/sign-request.js';

const folder = resolve(process.env['HELVE_VENDOR_SDKS'] ?? 'node_modules/.cache/vendor-sdks');
const sdk = loadSdk();

beforeEach(({ skip }) => {
  if (sdk === undefined) skip(`${folder} has no @aws-sdk/client-bedrock-runtime: npm run counterparts fetches it.`);
});

const servers: FakeModelServer[] = [];
afterAll(async () => {
  await Promise.all(servers.map((server) => server.close()));
});

const credentials = {
  accessKeyId: fakeAwsKeys.AWS_ACCESS_KEY_ID,
  secretAccessKey: fakeAwsKeys.AWS_SECRET_ACCESS_KEY,
  sessionToken: 'session/token+==',
};
const region = 'eu-central-1';
const modelId =
  'arn:aws:bedrock:eu-central-1:123456789012:inference-profile/eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

const hello: ModelRequest = {
  system: ['Be brief. 你好'],
  tools: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: 'größer 👩‍👩‍👧' }] }],
};

async function serve(answer: FakeAnswer): Promise<FakeModelServer> {
  const server = await startFakeModelServer(() => answer);
  servers.push(server);
  return server;
}

/** The events as JSON, as AWS's client reads them. */
async function readBySdk({ url }: FakeModelServer): Promise<unknown[]> {
  const { runtime, NodeHttpHandler } = sdk ?? missing();
  const { BedrockRuntimeClient, InvokeModelWithResponseStreamCommand } = runtime;
  const requestHandler = new NodeHttpHandler(); // its default is HTTP/2
  const client = new BedrockRuntimeClient({ region, endpoint: url, credentials, requestHandler, maxAttempts: 1 });
  const body = JSON.stringify({
    anthropic_version: 'bedrock-2023-05-31',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'Hi' }],
  });
  const answer = await client.send(
    new InvokeModelWithResponseStreamCommand({ modelId, body, contentType: 'application/json' }),
  );
  const events = await Array.fromAsync(answer.body ?? []);
  return events.map(({ chunk }) => JSON.parse(Buffer.from(chunk?.bytes ?? []).toString()));
}

async function readByAdapter({ url }: FakeModelServer) {
  const env = { ...fakeAwsKeys, AWS_SESSION_TOKEN: credentials.sessionToken, AWS_REGION: region };
  const places = { ANTHROPIC_BEDROCK_BASE_URL: url, HOME: '/nonexistent', HELVE_HOME: '/nonexistent' };
  const model = await chooseModel(`bedrock/${modelId}`, { ...env, ...places });
  return await Array.fromAsync(model.stream(hello, AbortSignal.timeout(60_000)));
}

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => `x${text}`);
const anyAnswer: fc.Arbitrary<FakeAnswer> = fc.record(
  {
    text: words,
    calls: fc.array(
      fc.record({
        name: fc.constant('Read'),
        input: fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
      }),
      { maxLength: 3 },
    ),
    chunkBytes: fc.integer({ min: 1, max: 200 }),
  },
  { requiredKeys: ['text'] },
);

test("reads the fake server's stream as AWS's client does, for any split of its bytes", async () => {
  await fc.assert(
    fc.asyncProperty(anyAnswer, async (answer) => {
      const server = await serve(answer);
      const sent = anthropicSseEvents(answer, 1).map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)));
      expect(await readBySdk(server)).toEqual(sent);
      const events = await readByAdapter(server);
      const text = events.flatMap((event) => (event.type === 'text_delta' ? [event.text] : [])).join('');
      const inputs = events.flatMap((event) => (event.type === 'call_input' ? [event.json] : [])).join('');
      expect(text).toBe(answer.text);
      expect(inputs).toBe((answer.calls ?? []).map(({ input }) => JSON.stringify(input)).join(''));
      expect(events.at(-1)?.type).toBe('message_end');
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 300 : 15 },
  );
});

test("reports an exception within the stream where AWS's client throws it", async () => {
  const server = await serve({ text: 'Hel', streamError: { type: 'throttlingException', message: 'Slow down' } });
  await expect(readBySdk(server)).rejects.toMatchObject({ name: 'ThrottlingException', message: 'Slow down' });
  await expect(readByAdapter(server)).rejects.toMatchObject({
    kind: 'rate_limited',
    message: expect.stringContaining('Slow down'),
  });
});

test("sends AWS's client and the adapter to the same path, and accepts the signatures of both", async () => {
  const server = await serve({ text: 'Hello.' });
  await readBySdk(server);
  await readByAdapter(server);
  expect(server.refused).toEqual([]);
  const [bySdk, byAdapter] = server.requests;
  expect(byAdapter?.path).toBe(bySdk?.path);
  expect(byAdapter?.path).toBe(`/model/${encodeSegment(modelId)}/invoke-with-response-stream`);
});

test("signs any request as AWS's own signer does", async () => {
  const { SignatureV4 } = sdk ?? missing();
  const part = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/^\.+$/.test(text));
  const request = fc.record({
    model: part,
    body: fc.string({ unit: 'grapheme' }),
    team: fc.stringMatching(/^[ -~]{0,20}$/),
    time: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
  });
  await fc.assert(
    fc.asyncProperty(request, async ({ model, body, team, time }) => {
      const date = new Date(Math.floor(time.getTime() / 1000) * 1000);
      const path = `/model/${encodeSegment(model)}/invoke-with-response-stream`;
      const host = `bedrock-runtime.${region}.amazonaws.com`;
      const headers = { 'content-type': 'application/json', 'x-team': team, 'x-amz-content-sha256': sha256Hex(body) };
      const ours = signatureHeaders(
        { method: 'POST', url: `https://${host}${path}`, headers, bodyHash: sha256Hex(body) },
        { region, service: 'bedrock', credentials, date },
      );
      const signer = new SignatureV4({ region, service: 'bedrock', credentials, sha256: Sha256 });
      const theirs = await signer.sign(
        { method: 'POST', protocol: 'https:', hostname: host, path, query: {}, headers: { ...headers, host }, body },
        { signingDate: date },
      );
      expect(ours['authorization']).toBe(theirs.headers['authorization']);
    }),
  );
});

/** The hash in the form that the signer wants. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: Uint8Array) {
    this.#hash = secret ? createHmac('sha256', secret) : createHash('sha256');
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }
}

function missing(): never {
  throw new Error('The SDK is missing.');
}

/** The parts of the SDK that the tests use. */
interface Sdk {
  runtime: {
    BedrockRuntimeClient: new (
      options: object,
    ) => { send(command: unknown): Promise<{ body?: AsyncIterable<{ chunk?: { bytes?: Uint8Array } }> }> };
    InvokeModelWithResponseStreamCommand: new (input: object) => unknown;
  };
  NodeHttpHandler: new () => object;
  SignatureV4: new (
    options: object,
  ) => { sign(request: object, options: object): Promise<{ headers: Record<string, string> }> };
}

function loadSdk(): Sdk | undefined {
  const load = createRequire(resolve(folder, 'package.json'));
  try {
    const runtime = load('@aws-sdk/client-bedrock-runtime');
    const { SignatureV4 } = load('@smithy/signature-v4'); // the signer of that client
    const { NodeHttpHandler } = load('@smithy/node-http-handler');
    return { runtime, SignatureV4, NodeHttpHandler };
  } catch {
    return undefined;
  }
}
