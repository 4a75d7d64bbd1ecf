import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, type TestContext, test } from 'vitest';
import type { Message } from '../../../contract/message.js';
import type { ModelEvent, ModelRequest } from '../../../contract/model.js';
import { type FakeAnswer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { builtInTools } from '../../../tools/index.js';
import { geminiModel } from './gemini.js';

// The vendor's own client reads the same stream as the adapter: both must get the same answer out of it. And what the
// adapter sends must be what the client sends, and must fit the client's types. The client is not among the
// dependencies: the CI fetches it. Without it, these tests are skipped and say so.

const folder = join(resolve(process.env['HELVE_VENDOR_SDKS'] ?? 'node_modules/.cache/vendor-sdks'), 'node_modules');
const entry = join(folder, '@google/genai/dist/node/index.mjs');

function needsSdk({ skip }: TestContext): void {
  if (!existsSync(entry)) skip(`${entry} is not there: npm run counterparts fetches it.`);
}

type Fields = Record<string, unknown>;

/** The client, as far as these tests use it: its types are not here when this is compiled. */
interface Client {
  models: { generateContentStream(request: Fields): Promise<AsyncIterable<Fields>> };
}

async function clientAt(baseUrl: string): Promise<Client> {
  const { GoogleGenAI } = await import(pathToFileURL(entry).href);
  return new GoogleGenAI({ apiKey: 'test-key', httpOptions: { baseUrl, apiVersion: 'v1beta' } });
}

const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30 };
const awkward = 'größer 你好 👩‍👩‍👧 \u2028 "quoted" \\ \n\t</script>';
const signature = 'c2lnbmF0dXJl/+==';
const call = (path: string) => ({ name: 'Read', input: { path, nested: [{ z: 1.5e-7, a: null }] } });

const answers: ReadonlyArray<[name: string, answer: FakeAnswer]> = [
  ['text', { text: awkward, usage }],
  ['thoughts before text', { thinking: { text: awkward, signature }, text: 'So.', usage }],
  ['parallel calls', { thinking: { text: 'Two.', signature }, text: 'Look:', calls: [call('a'), call(awkward)] }],
  ['a call without input', { calls: [{ name: 'LS' }] }],
  [
    'signatures on texts',
    { blocks: [{ text: 'One. ' }, { text: 'Two. ', thoughtSignature: signature }, { text: 'Three.' }] },
  ],
  ['an answer at the limit of its tokens', { text: 'And then', stopReason: 'max_tokens', usage }],
  ['an answer that a filter ended', { text: 'And then', stopReason: 'refusal' }],
];

test.for(answers)("parses %s like the vendor's client", async ([, answer], context) => {
  needsSdk(context);
  expect(await serving(answer, readByAdapter)).toEqual(await serving(answer, readByVendor));
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => `x${text}`);
const anyAnswer: fc.Arbitrary<FakeAnswer> = fc.record(
  {
    thinking: fc.record({ text: words, signature: fc.constantFrom('QQ==', signature) }),
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

test("parses any answer like the vendor's client, for any split of its bytes", async (context) => {
  needsSdk(context);
  await fc.assert(
    fc.asyncProperty(anyAnswer, async (answer) => {
      expect(await serving(answer, readByAdapter)).toEqual(await serving(answer, readByVendor));
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 30 },
  );
});

/** A conversation with everything that a request can hold. */
const history: Message[] = [
  { role: 'user', content: [{ type: 'text', text: awkward }, image('image/png')] },
  {
    role: 'assistant',
    content: [
      { type: 'text', text: 'Look:' },
      { type: 'opaque', provider: 'google', value: { type: 'signature', of: 'tool_use', thoughtSignature: signature } },
      { type: 'tool_use', id: 'c1', name: 'Read', input: { path: awkward } },
      { type: 'tool_use', id: 'c2', name: 'LS', input: {} },
      { type: 'opaque', provider: 'google', value: { type: 'part', part: { text: '', thoughtSignature: 'QQ==' } } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'c1', content: [{ type: 'text', text: 'Here:' }, image('application/pdf')] },
      { type: 'tool_result', tool_use_id: 'c2', content: 'not there', is_error: true },
      { type: 'text', text: 'Go on.' },
    ],
  },
];

function image(media_type: string) {
  return { type: 'image' as const, source: { type: 'base64' as const, media_type, data: 'iVBORw0KGgo=' } };
}

/** The body of the adapter's request, with all built-in tools. */
async function bodyByAdapter(): Promise<Fields> {
  const tools = builtInTools().map(({ name, inputSchema }) => ({ name, description: name, input_schema: inputSchema }));
  const server = await startFakeModelServer([{ text: 'Hi' }]);
  try {
    const model = modelAt(server.url);
    const request: ModelRequest = { system: ['Be brief.', 'Be kind.'], tools, messages: history };
    await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000)));
    expect(server.refused).toEqual([]);
    return JSON.parse(server.requests[0]?.text ?? '');
  } finally {
    await server.close();
  }
}

test("sends the body that the vendor's client sends for the same request", async (context) => {
  needsSdk(context);
  const body = await bodyByAdapter();
  const { contents, systemInstruction, tools, generationConfig } = body;
  const config = { ...(generationConfig as Fields), systemInstruction, tools }; // as the adapter has written it
  const server = await startFakeModelServer([{ text: 'Hi' }]);
  try {
    const client = await clientAt(server.url);
    await Array.fromAsync(await client.models.generateContentStream({ model: NAME, contents, config }));
    expect(server.refused).toEqual([]);
    expect(JSON.parse(server.requests[0]?.text ?? '')).toEqual(body);
    expect(server.requests[0]?.path).toBe(`/v1beta/models/${NAME}:streamGenerateContent?alt=sse`);
    expect(server.requests[0]?.headers['x-goog-api-key']).toBe('test-key');
  } finally {
    await server.close();
  }
});

test("sends a body that fits the types of the vendor's client", { timeout: 120_000 }, async (context) => {
  needsSdk(context);
  const { contents, systemInstruction, tools, generationConfig, ...rest } = await bodyByAdapter();
  expect(rest).toEqual({});
  const place = await mkdtemp(join(tmpdir(), 'helve-genai-types-'));
  try {
    await symlink(folder, join(place, 'node_modules'));
    const values = Object.entries({
      contents: [contents, 'Content[]'],
      systemInstruction: [systemInstruction, 'Content'],
      tools: [tools, 'Tool[]'],
      generationConfig: [generationConfig, 'GenerationConfig'],
    });
    await writeFile(
      join(place, 'body.ts'),
      [
        "import type { Content, GenerationConfig, Tool } from '@google/genai';",
        '// Enumerations are plain texts on the wire.',
        `type Plain<T> = T extends string ? \`\${T}\` : T extends (infer I)[] ? Plain<I>[]`,
        '  : T extends object ? { [K in keyof T]: Plain<T[K]> } : T;',
        ...values.map(([name, [value, type]]) => `export const ${name}: Plain<${type}> = ${JSON.stringify(value)};`),
      ].join('\n'),
    );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      module: 'nodenext',
      types: [],
      lib: ['esnext', 'dom'],
    };
    await writeFile(join(place, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['body.ts'] }));
    await writeFile(join(place, 'package.json'), '{"type":"module"}');
    const tsc = promisify(execFile)(process.execPath, [resolve('node_modules/typescript/bin/tsc'), '-p', place]);
    const problems = await tsc.then(
      () => '',
      (error: { stdout?: string }) => error.stdout ?? String(error),
    );
    expect(problems).toBe('');
  } finally {
    await rm(place, { recursive: true, force: true });
  }
});

const NAME = 'gemini-3.8-flash';

const modelAt = (baseUrl: string) =>
  geminiModel({ name: NAME, apiKey: 'test-key', baseUrl, effort: 'high', maxOutputTokens: 1000 });

/** What both must agree on. */
interface ReadAnswer {
  id: string;
  model: string;
  /** Texts and thoughts joined up to each signature, and calls. */
  items: unknown[];
  isCut: boolean;
  isRefused: boolean;
  tokens: { input: number; output: number; cached: number };
}

async function readByVendor(url: string): Promise<ReadAnswer> {
  const client = await clientAt(url);
  const chunks = await Array.fromAsync(await client.models.generateContentStream({ model: NAME, contents: 'Hi' }));
  // Guaranteed by the wire format.
  const candidates = chunks.flatMap((chunk) => (chunk['candidates'] as Fields[]) ?? []);
  const parts = candidates.flatMap(({ content }) => ((content as Fields | undefined)?.['parts'] as Fields[]) ?? []);
  const last = chunks.at(-1) ?? {};
  const counts = (last['usageMetadata'] ?? {}) as Record<string, number | undefined>;
  const reason = candidates.at(-1)?.['finishReason'];
  const {
    promptTokenCount = 0,
    candidatesTokenCount = 0,
    thoughtsTokenCount = 0,
    cachedContentTokenCount = 0,
  } = counts;
  return {
    id: String(last['responseId']),
    model: String(last['modelVersion']),
    items: joined(
      parts.map(({ text, thought, functionCall, thoughtSignature }) => {
        const { id, name, args } = (functionCall ?? {}) as Fields;
        const kind = functionCall ? { call: id, name, input: args } : { kind: thought ? 'thinking' : 'text', text };
        return { ...kind, ...(thoughtSignature !== undefined && { thoughtSignature }) };
      }),
    ),
    isCut: reason === 'MAX_TOKENS',
    isRefused: reason === 'SAFETY',
    tokens: {
      input: promptTokenCount - cachedContentTokenCount,
      output: candidatesTokenCount + thoughtsTokenCount,
      cached: cachedContentTokenCount,
    },
  };
}

async function readByAdapter(url: string): Promise<ReadAnswer> {
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }];
  const stream = modelAt(url).stream({ system: [], tools: [], messages }, AbortSignal.timeout(60_000));
  return answerOf(await Array.fromAsync(stream));
}

function answerOf(events: readonly ModelEvent[]): ReadAnswer {
  const items: Fields[] = [];
  const answer = { id: '', model: '', isCut: false, isRefused: false, tokens: { input: 0, output: 0, cached: 0 } };
  let signed: Fields = {};
  const add = (item: Fields) => {
    items.push({ ...item, ...signed });
    signed = {};
  };
  let open = { call: '', name: '', json: '' };
  for (const event of events) {
    if (event.type === 'message_start') Object.assign(answer, { id: event.id, model: event.model });
    if (event.type === 'call_start') open = { call: event.id, name: event.name, json: '' };
    if (event.type === 'call_input') open.json += event.json;
    if (event.type === 'call_end') add({ call: open.call, name: open.name, input: JSON.parse(open.json) });
    if (event.type === 'block' && event.block.type === 'text') add({ kind: 'text', text: event.block.text });
    if (event.type === 'block' && event.block.type === 'thinking')
      add({ kind: 'thinking', text: event.block.thinking });
    if (event.type === 'block' && event.block.type === 'opaque') {
      const { type, part, thoughtSignature } = event.block.value;
      if (type === 'signature') signed = { thoughtSignature };
      else add({ kind: 'text', ...(part as Fields) }); // only empty texts are kept whole here
    }
    if (event.type === 'message_end') {
      answer.isCut = event.stopReason === 'max_tokens';
      answer.isRefused = event.stopReason === 'refusal';
      const { input_tokens: input, output_tokens: output, cache_read_input_tokens: cached } = event.usage;
      answer.tokens = { input, output, cached };
    }
  }
  return { ...answer, items: joined(items) };
}

/** Neighbouring texts of one kind are one, unless one of them is signed. */
function joined(items: readonly Fields[]): Fields[] {
  const all: Fields[] = [];
  for (const item of items) {
    const last = all.at(-1);
    const isSigned = item['thoughtSignature'] !== undefined || last?.['thoughtSignature'] !== undefined;
    if (item['text'] === '' && item['thoughtSignature'] === undefined) continue;
    if (last && item['kind'] !== undefined && last['kind'] === item['kind'] && !isSigned) {
      last['text'] = `${last['text']}${item['text']}`;
    } else all.push({ ...item });
  }
  return all;
}

/** Calls `read` with the address of a server that sends this answer. */
async function serving<Read>(answer: FakeAnswer, read: (url: string) => Promise<Read>): Promise<Read> {
  const server = await startFakeModelServer([answer]);
  try {
    return await read(server.url);
  } finally {
    await server.close();
  }
}
