import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { counterpart } from '../../../../test/counterparts.js';
import { CallAssembler } from '../../../calls/assemble.js';
import type { ModelEvent } from '../../../contract/model.js';
import { type FakeAnswer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { openAiResponsesModel } from './openai-responses.js';

// The vendor's own client reads the same stream as the adapter: both must get the same answer out of it.

const sdk = counterpart('vendor-sdks', 'openai/index.mjs');

beforeEach(({ skip }) => {
  if (!sdk.isThere) skip(sdk.missing);
});

const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 };
const awkward = 'größer 你好 👩‍👩‍👧 \u2028 "quoted" \\ \n\t</script>';
const message = (id: string, text: string) => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const reasoning = (id: string) => ({
  id,
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: awkward },
    { type: 'summary_text', text: 'And then.' },
  ],
  encrypted_content: `${id}/+==`,
});

const answers: ReadonlyArray<[name: string, answer: FakeAnswer]> = [
  ['text', { text: awkward, usage }],
  ['reasoning before text', { thinking: { text: awkward, signature: 'ZW5j/+==' }, text: 'So.', usage }],
  ['a call in pieces', { text: 'Look:', calls: [{ name: 'Read', input: { file_path: awkward, limit: 10 } }] }],
  ['a call without input', { calls: [{ name: 'LS', input: {} }] }],
  [
    'a call whose arguments come whole',
    { calls: [{ name: 'Read', input: { a: awkward } }], omit: 'response.function_call_arguments.delta' },
  ],
  [
    'parallel calls',
    {
      thinking: { text: 'Two at once.', signature: 'ZW5j' },
      calls: [
        { name: 'Read', input: { file_path: 'a' } },
        {
          name: 'Edit',
          input: { file_path: 'b', edits: [{ old: awkward, new: null, nested: { z: 1.5e-7, a: true } }] },
        },
        { name: 'Read', input: { file_path: 'a' } },
      ],
    },
  ],
  [
    'reasoning in several places, with texts between',
    {
      blocks: [reasoning('rs_1'), message('msg_1', 'First.'), reasoning('rs_2'), message('msg_2', 'Then.')],
      calls: [{ name: 'Read', input: { file_path: 'a' } }],
    },
  ],
  [
    'tools that the server runs',
    {
      blocks: [
        { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search', query: awkward } },
        {
          id: 'mcp_1',
          type: 'mcp_call',
          status: 'completed',
          server_label: 'test',
          name: 'echo',
          arguments: '{"text":"x"}',
          output: 'x',
        },
        message('msg_1', 'Found.'),
      ],
      calls: [{ name: 'Read', input: { file_path: 'a' } }],
    },
  ],
  [
    'a refusal in words',
    { blocks: [{ ...message('msg_1', ''), content: [{ type: 'refusal', refusal: 'I will not.' }] }] },
  ],
  ['an answer at the limit of its tokens', { text: 'And then', stopReason: 'max_tokens', usage }],
  ['an answer that a filter ended', { text: 'And then', stopReason: 'refusal' }],
];

test.each(answers)("parses %s like the vendor's client", async (_, answer) => {
  expect(await serving(answer, readByAdapter)).toEqual(await serving(answer, readByVendor));
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 }).map((text) => `x${text}`);
const input = fc.dictionary(words, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
const anyAnswer: fc.Arbitrary<FakeAnswer> = fc.record(
  {
    thinking: fc.record({ text: words, signature: words }),
    text: words,
    calls: fc.array(fc.record({ name: fc.constant('Read'), input }), { maxLength: 3 }),
    chunkBytes: fc.integer({ min: 1, max: 200 }),
  },
  { requiredKeys: ['text'] },
);

test("parses any answer like the vendor's client, for any split of its bytes", async () => {
  await fc.assert(
    fc.asyncProperty(anyAnswer, async (answer) => {
      expect(await serving(answer, readByAdapter)).toEqual(await serving(answer, readByVendor));
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 30 },
  );
});

/** What both must agree on. */
interface ReadAnswer {
  id: string;
  model: string;
  /** Texts and calls by what they say, everything else as it is on the wire. */
  items: unknown[];
  stopReason: string | null;
  usage: typeof usage;
}

/** The client, as far as these tests use it: its types are not here when this is compiled. */
interface Sdk {
  default: new (
    options: object,
  ) => {
    responses: { stream(request: object): { finalResponse(): Promise<VendorResponse> } };
  };
}

interface VendorResponse {
  id: string;
  model: string;
  output: VendorItem[];
  incomplete_details?: { reason?: string } | null;
  usage?: {
    input_tokens: number;
    output_tokens: number;
    input_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number };
  };
}

interface VendorItem {
  type: string;
  content?: Array<{ type: string }>;
}

async function readByVendor(url: string): Promise<ReadAnswer> {
  const { default: OpenAI }: Sdk = await import(sdk.url);
  const client = new OpenAI({ apiKey: 'test-key', baseURL: `${url}/v1`, maxRetries: 0 });
  const response = await client.responses.stream({ model: 'fake-model', input: 'Hi', store: false }).finalResponse();
  const items = response.output.map(withoutParsed);
  const { input_tokens = 0, output_tokens = 0, input_tokens_details: details } = response.usage ?? {};
  const cached = details?.cached_tokens ?? 0;
  const written = details?.cache_write_tokens ?? 0;
  return {
    id: response.id,
    model: response.model,
    items: items.map(vendorItem),
    stopReason: vendorStop(response.incomplete_details?.reason, response.output),
    usage: {
      input_tokens: input_tokens - cached - written,
      output_tokens,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written,
    },
  };
}

/** Without the fields that the client adds. */
function withoutParsed(item: object): Record<string, unknown> {
  return JSON.parse(JSON.stringify(item, (name, value) => (/^parsed/.test(name) ? undefined : value)));
}

function vendorItem(item: Record<string, unknown>): unknown {
  if (item['type'] === 'function_call') {
    const { call_id, name, arguments: json } = item;
    return { call: call_id, name, input: JSON.parse(String(json)) };
  }
  if (item['type'] !== 'message') return item;
  const parts = item['content'] as Array<{ text?: string; refusal?: string }>; // guaranteed by the wire format
  return { text: parts.map(({ text, refusal }) => text ?? refusal).join('') };
}

function vendorStop(reason: string | undefined, output: readonly VendorItem[]): string {
  if (reason === 'max_output_tokens') return 'max_tokens';
  const refuses = output.some(
    (item) => item.type === 'message' && item.content?.some(({ type }) => type === 'refusal'),
  );
  if (reason === 'content_filter' || refuses) return 'refusal';
  return output.some(({ type }) => type === 'function_call') ? 'tool_use' : 'end_turn';
}

async function readByAdapter(url: string): Promise<ReadAnswer> {
  const model = openAiResponsesModel({ name: 'fake-model', apiKey: 'test-key', baseUrl: url });
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
  };
  return answerOf(await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000))));
}

function answerOf(events: readonly ModelEvent[]): ReadAnswer {
  const calls = new CallAssembler();
  const items: unknown[] = [];
  const answer: ReadAnswer = { id: '', model: '', items, stopReason: null, usage };
  for (const event of events) {
    if (event.type === 'message_start') Object.assign(answer, { id: event.id, model: event.model });
    if (event.type === 'block' && event.block.type === 'text') items.push({ text: event.block.text });
    // The block before a text holds the item that the text belongs to.
    if (event.type === 'block' && event.block.type === 'opaque' && event.block.value['type'] !== 'message')
      items.push(event.block.value);
    if (event.type === 'call_start') calls.start(event);
    if (event.type === 'call_input') calls.add(event);
    if (event.type === 'call_end') {
      const call = calls.end(event);
      items.push({ call: call.id, name: call.name, input: 'input' in call ? call.input : call.problem });
    }
    if (event.type === 'message_end')
      Object.assign(answer, { stopReason: event.stopReason, usage: { ...event.usage } });
  }
  return answer;
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
