import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createAgent } from '../../src/compose/create-agent.js';
import { defineTool } from '../../src/contract/tool.js';
import { anthropicModel } from '../../src/models/index.js';
import { anthropicSse, temporaryProject } from '../../src/testing/index.js';

const recorder = (received: unknown[]) =>
  defineTool({
    name: 'Record',
    description: 'Records its input.',
    input: z.looseObject({}),
    effects: () => [],
    async execute(input) {
      received.push(input);
      return 'recorded';
    },
    toModel: (text) => text,
  });

/** Serves these bytes as the first answer, in two pieces cut at `cut`, or one byte at a time; then says "done", in the same way. */
function fetchOf(bytes: Uint8Array, cut: number | 'every byte'): typeof fetch {
  let answered = false;
  return async () => {
    const first = !answered;
    answered = true;
    const body = first ? bytes : new TextEncoder().encode(anthropicSse({ text: 'done' }, 2));
    const pieces =
      cut === 'every byte'
        ? Array.from(body, (_, index) => body.subarray(index, index + 1))
        : [body.subarray(0, cut), body.subarray(cut)];
    const stream = ReadableStream.from(pieces);
    return new Response(stream as ReadableStream, { headers: { 'content-type': 'text/event-stream' } });
  };
}

// A prime, so that over lines of any length all places in them are met.
const STEP = process.env['HELVE_SOAK'] ? 1 : 11;

const project = await temporaryProject();

async function runWith(
  bytes: Uint8Array,
  cut: number | 'every byte',
): Promise<{ received: unknown[]; outcome: string }> {
  const received: unknown[] = [];
  const model = anthropicModel({ name: 'test', apiKey: 'x', fetch: fetchOf(bytes, cut) });
  const agent = createAgent({
    model,
    root: project.root,
    dataFolder: project.path('../data'),
    tools: [recorder(received)],
    retries: { baseMs: 0 },
  });
  const last = (await Array.fromAsync(agent.run('go'))).at(-1);
  await agent.end();
  return { received, outcome: last?.type === 'result' ? last.outcome : 'none' };
}

/** As JSON carries it: without the minus of a zero. */
const someInput = fc
  .dictionary(fc.string({ unit: 'grapheme', maxLength: 5 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  .map((input) => JSON.parse(JSON.stringify(input)));

test('a call arrives whole wherever the bytes of its stream are split', async () => {
  const input = { path: 'grüße/日本/👩‍💻.txt', text: 'a"b\\c\n\u0007\ud83d', nested: [1.5e-7, null, { ключ: true }] };
  const bytes = new TextEncoder().encode(anthropicSse({ text: 'Ünïcode 👍', calls: [{ name: 'Record', input }] }));
  expect(await runWith(bytes, 'every byte')).toEqual({ received: [input], outcome: 'completed' });
  for (let cut = 0; cut <= bytes.length; cut += STEP) {
    expect((await runWith(bytes, cut)).received).toEqual([input]);
  }
});

test('any input arrives whole, one byte at a time', async () => {
  await fc.assert(
    fc.asyncProperty(someInput, async (input) => {
      const bytes = new TextEncoder().encode(anthropicSse({ calls: [{ name: 'Record', input }] }));
      expect(await runWith(bytes, 'every byte')).toEqual({ received: [input], outcome: 'completed' });
    }),
    { numRuns: process.env['HELVE_SOAK'] ? 1_000 : 50 },
  );
});

test('a stream that ends anywhere never runs a call that is not whole, and never twice', async () => {
  const input = { text: 'whole "value" \u00e9' };
  const bytes = new TextEncoder().encode(anthropicSse({ text: 'Hm.', calls: [{ name: 'Record', input }] }));
  for (let length = 0; length < bytes.length; length += STEP) {
    const { received } = await runWith(bytes.subarray(0, length), length);
    expect(received.length).toBeLessThanOrEqual(1);
    if (received.length === 1) expect(received).toEqual([input]);
  }
});
