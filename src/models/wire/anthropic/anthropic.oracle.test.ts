import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { counterpart } from '../../../../test/counterparts.js';
import { CallAssembler } from '../../../calls/assemble.js';
import type { Model, ModelEvent } from '../../../contract/model.js';
import { type FakeAnswer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { anthropicModel } from './anthropic.js';

// The vendor's own client reads the same stream as the adapter: both must get the same message out of it.

const sdk = counterpart('vendor-sdks', '@anthropic-ai/sdk/index.mjs');

beforeEach(({ skip }) => {
  if (!sdk.isThere) skip(sdk.missing);
});

const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 40 };
const awkward = 'größer 你好 👩‍👩‍👧 \u2028 "quoted" \\ \n\t</script>';
const citation = {
  type: 'web_search_result_location',
  url: 'https://example.org',
  title: 'Größe',
  cited_text: 'large',
  encrypted_index: 'aB+/=',
};

const answers: ReadonlyArray<[name: string, answer: FakeAnswer]> = [
  ['text', { text: awkward, usage }],
  ['thinking with its signature', { thinking: { text: awkward, signature: 'c2ln/+==' }, text: 'So.', usage }],
  ['redacted thinking', { blocks: [{ type: 'redacted_thinking', data: 'RW5j/+==' }], text: 'So.' }],
  ['a call in pieces', { text: 'Look:', calls: [{ name: 'Read', input: { file_path: awkward, limit: 10 } }] }],
  ['a call without input', { calls: [{ name: 'LS', input: {} }] }],
  [
    'parallel calls',
    {
      thinking: { text: 'Two at once.', signature: 'c2ln' },
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
    'tools that the server runs, between texts and calls',
    {
      blocks: [
        { type: 'text', text: 'I search.' },
        { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: awkward } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'srvtoolu_1',
          content: [{ type: 'web_search_result', url: 'https://example.org', title: 'é', encrypted_content: 'AbC=' }],
        },
        { type: 'text', text: 'It is “large”.', citations: [citation, { ...citation, cited_text: 'very' }] },
        { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'test', input: { text: awkward } },
        { type: 'mcp_tool_result', tool_use_id: 'mcptoolu_1', is_error: false, content: [{ type: 'text', text: 'x' }] },
      ],
      calls: [{ name: 'Read', input: { file_path: 'a' } }],
    },
  ],
  ['an answer at the limit of its tokens', { text: 'And then', stopReason: 'max_tokens', usage }],
  ['an answer at a stop sequence', { text: 'One', stopReason: 'stop_sequence' }],
  ['a paused turn', { text: 'Wait', stopReason: 'pause_turn' }],
  ['a refusal', { stopReason: 'refusal', stopDetails: { type: 'refusal', explanation: 'No.' } }],
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

interface ReadMessage {
  id: string;
  model: string;
  content: unknown[];
  stopReason: string | null;
  usage: typeof usage;
}

/** The client, as far as these tests use it: its types are not here when this is compiled. */
interface Sdk {
  default: new (
    options: object,
  ) => {
    beta: { messages: { stream(request: object): { finalMessage(): Promise<VendorMessage> } } };
  };
}

interface VendorMessage {
  id: string;
  model: string;
  content: unknown[];
  stop_reason: string | null;
  usage: Pick<typeof usage, 'input_tokens' | 'output_tokens'> & { [K in keyof typeof usage]?: number | null };
}

async function readByVendor(url: string): Promise<ReadMessage> {
  const { default: Anthropic }: Sdk = await import(sdk.url);
  const client = new Anthropic({ apiKey: 'test-key', baseURL: url, maxRetries: 0 });
  // The beta API knows all kinds of blocks, including those of MCP servers.
  const message = await client.beta.messages
    .stream({ model: 'claude-test', max_tokens: 100, messages: [{ role: 'user', content: 'Hi' }] })
    .finalMessage();
  const counts = message.usage;
  return {
    id: message.id,
    model: message.model,
    content: JSON.parse(JSON.stringify(message.content)),
    stopReason: message.stop_reason,
    usage: {
      input_tokens: counts.input_tokens,
      output_tokens: counts.output_tokens,
      cache_read_input_tokens: counts.cache_read_input_tokens ?? 0,
      cache_creation_input_tokens: counts.cache_creation_input_tokens ?? 0,
    },
  };
}

async function readByAdapter(url: string): Promise<ReadMessage> {
  const model: Model = anthropicModel({ name: 'claude-test', apiKey: 'test-key', baseUrl: url });
  const request = {
    system: [],
    tools: [],
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }],
  };
  return messageOf(await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000))));
}

/** Joins the events into one message in the wire format. */
function messageOf(events: readonly ModelEvent[]): ReadMessage {
  const calls = new CallAssembler();
  const content: unknown[] = [];
  const message: ReadMessage = { id: '', model: '', content, stopReason: null, usage };
  for (const event of events) {
    if (event.type === 'message_start') Object.assign(message, { id: event.id, model: event.model });
    if (event.type === 'block') content.push(event.block.type === 'opaque' ? event.block.value : event.block);
    if (event.type === 'call_start') calls.start(event);
    if (event.type === 'call_input') calls.add(event);
    if (event.type === 'call_end') content.push({ type: 'tool_use', ...calls.end(event) });
    if (event.type === 'message_end')
      Object.assign(message, { stopReason: event.stopReason, usage: { ...event.usage } });
  }
  return message;
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
