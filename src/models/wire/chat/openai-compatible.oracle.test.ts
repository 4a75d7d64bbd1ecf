import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import { counterpart } from '../../../../test/counterparts.js';
import { CallAssembler } from '../../../calls/assemble.js';
import type { ModelEvent } from '../../../contract/model.js';
import { type FakeAnswer, startFakeModelServer } from '../../../testing/fake-model-server.js';
import { openAiCompatibleModel } from './openai-compatible.js';

// The vendor's own client reads the same stream as the adapter: both must get the same message out of it.

const sdk = counterpart('vendor-sdks', 'openai/index.mjs');

beforeEach(({ skip }) => {
  if (!sdk.isThere) skip(sdk.missing);
});

const usage = { input_tokens: 10, output_tokens: 20, cache_read_input_tokens: 30 };
const awkward = 'größer 你好 👩‍👩‍👧 \u2028 "quoted" \\ \n\t</script>';

const answers: ReadonlyArray<[name: string, answer: FakeAnswer]> = [
  ['text', { text: awkward, usage }],
  ['a call in pieces', { text: 'Look:', calls: [{ name: 'Read', input: { file_path: awkward, limit: 10 } }], usage }],
  ['a call without input', { calls: [{ name: 'LS', input: {} }] }],
  [
    'parallel calls',
    {
      calls: [
        { name: 'Read', input: { file_path: 'a' } },
        { name: 'Edit', input: { edits: [{ old: awkward, new: null, nested: { z: 1.5e-7, a: true } }] } },
        { name: 'Read', input: { file_path: 'a' } },
      ],
      usage,
    },
  ],
  ['an answer at the limit of its tokens', { text: 'And then', stopReason: 'max_tokens', usage }],
  ['an answer that was filtered', { text: 'I', stopReason: 'refusal' }],
];

test.each(answers)("parses %s like the vendor's client", async (_, answer) => {
  expect(await serving(answer, readByAdapter)).toEqual(await serving(answer, readByVendor));
});

test("parses any answer like the vendor's client, for any split of its bytes", async () => {
  const input = fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 });
  const call = fc.record({ name: fc.constantFrom('Read', 'LS'), input });
  const answer = fc.record({
    text: fc.string({ unit: 'grapheme' }).map((text) => `x${text}`), // never starts with thinking, which the vendor does not support
    calls: fc.array(call, { maxLength: 3 }),
    chunkBytes: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(answer, async (each) => {
      expect(await serving(each, readByAdapter)).toEqual(await serving(each, readByVendor));
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 30 },
  );
});

interface ReadMessage {
  id: string;
  model: string;
  text: string;
  calls: unknown[];
  finish: string;
  usage: { prompt: number; output: number; cached: number };
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

async function readByAdapter(url: string): Promise<ReadMessage> {
  const model = openAiCompatibleModel({ provider: 'openai', name: 'm', baseUrl: url });
  const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hi' }] }];
  const request = { system: [], tools: [], messages };
  return messageOf(await Array.fromAsync(model.stream(request, AbortSignal.timeout(60_000))));
}

/** The client, as far as these tests use it: its types are not here when this is compiled. */
interface Sdk {
  default: new (
    options: object,
  ) => {
    chat: { completions: { stream(request: object): { finalChatCompletion(): Promise<VendorCompletion> } } };
  };
}

interface VendorCompletion {
  id: string;
  model: string;
  choices: Array<{ message: { content: string | null; tool_calls?: VendorCall[] }; finish_reason: string }>;
  usage?: {
    prompt_tokens: number;
    completion_tokens: number;
    prompt_tokens_details?: { cached_tokens?: number };
  };
}

interface VendorCall {
  id: string;
  type: string;
  function: { name: string; arguments: string };
}

async function readByVendor(url: string): Promise<ReadMessage> {
  const { default: OpenAI }: Sdk = await import(sdk.url);
  const client = new OpenAI({ apiKey: 'x', baseURL: `${url}/v1`, maxRetries: 0 });
  const stream = client.chat.completions.stream({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi' }],
    stream_options: { include_usage: true },
  });
  const { id, model, choices, usage: counts } = await stream.finalChatCompletion();
  const [choice] = choices;
  return {
    id,
    model,
    text: choice?.message.content ?? '',
    calls: (choice?.message.tool_calls ?? []).map((call) =>
      call.type === 'function'
        ? { id: call.id, name: call.function.name, input: JSON.parse(call.function.arguments) }
        : call,
    ),
    finish: choice?.finish_reason ?? '',
    usage: {
      prompt: counts?.prompt_tokens ?? 0,
      output: counts?.completion_tokens ?? 0,
      cached: counts?.prompt_tokens_details?.cached_tokens ?? 0,
    },
  };
}

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
};

function messageOf(events: readonly ModelEvent[]): ReadMessage {
  const assembler = new CallAssembler();
  const message: ReadMessage = {
    id: '',
    model: '',
    text: '',
    calls: [],
    finish: '',
    usage: { prompt: 0, output: 0, cached: 0 },
  };
  for (const event of events) {
    if (event.type === 'message_start') Object.assign(message, { id: event.id, model: event.model });
    if (event.type === 'block' && event.block.type === 'text') message.text += event.block.text;
    if (event.type === 'call_start') assembler.start(event);
    if (event.type === 'call_input') assembler.add(event);
    if (event.type === 'call_end') message.calls.push(assembler.end(event));
    if (event.type === 'message_end') {
      const { input_tokens, output_tokens, cache_read_input_tokens: cached } = event.usage;
      message.finish = FINISH[event.stopReason ?? ''] ?? '';
      message.usage = { prompt: input_tokens + cached, output: output_tokens, cached };
    }
  }
  return message;
}
