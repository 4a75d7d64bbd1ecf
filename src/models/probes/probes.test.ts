import { describe, expect, test } from 'vitest';
import { startFakeModelServer } from '../../testing/fake-model-server.js';
import type { FakeMessage } from '../../testing/wire-format.js';
import { anthropicModel } from '../wire/anthropic/anthropic.js';
import { openAiCompatibleModel } from '../wire/chat/openai-compatible.js';
import { probes } from './probes.js';
import { runProbes } from './run-probes.js';

const nested =
  '{"customer":{"name":"Ada","tags":["vip","eu"]},"items":[{"sku":"A-1","count":2,"gift":false},{"sku":"B-2","count":1,"gift":true}]}';
const lines = Array.from({ length: 60 }, (_, index) => `line ${index + 1}`).join('\n');
const weather = (city: string) => ({ name: 'get_weather', input: { city } });

/** What a model that does everything right says, and answers that must not count as right. */
const answers: Readonly<Record<string, { right: FakeMessage; wrong: readonly FakeMessage[] }>> = {
  text: {
    right: { text: 'pong' },
    wrong: [{ text: 'I cannot do that.' }, { text: 'pong', calls: [weather('Paris')] }],
  },
  streaming: { right: { text: 'one, two, three, four, five, six, seven, eight, nine' }, wrong: [{ text: 'one' }] },
  call: {
    right: { calls: [weather('Paris')] },
    wrong: [
      { text: '{"name": "get_weather", "arguments": {"city": "Paris"}}' },
      { calls: [weather('Rome')] },
      { calls: [{ name: 'get_time', input: {} }] },
      { calls: [weather('Paris'), weather('Paris')] },
    ],
  },
  'no-call': { right: { text: 'pong' }, wrong: [{ calls: [weather('Paris')] }] },
  'no-arguments': {
    right: { calls: [{ name: 'get_time', json: '' }] },
    wrong: [{ calls: [{ name: 'get_time', json: '{"zone":"UTC"}' }] }],
  },
  choice: {
    right: { calls: [{ name: 'set_light', input: { state: 'dimmed' } }] },
    wrong: [{ calls: [{ name: 'set_light', input: { state: 'dim' } }] }],
  },
  nested: {
    right: { calls: [{ name: 'place_order', json: nested }] },
    wrong: [
      { calls: [{ name: 'place_order', json: JSON.stringify({ customer: 'Ada', items: [] }) }] },
      { calls: [{ name: 'place_order', json: nested.replace('2', '"2"') }] },
    ],
  },
  unicode: {
    right: {
      calls: [
        {
          name: 'write_file',
          input: { path: 'notes.txt', content: 'Zoë said: "naïve 東京 – 50 % 🚀"\n\tback\\slash\n' },
        },
      ],
    },
    wrong: [{ calls: [{ name: 'write_file', input: { path: 'notes.txt', content: 'Zoe said: "naive"' } }] }],
  },
  long: {
    right: { calls: [{ name: 'write_file', input: { path: 'lines.txt', content: lines } }] },
    wrong: [{ calls: [{ name: 'write_file', input: { path: 'lines.txt', content: 'line 1\n…\nline 60' } }] }],
  },
  parallel: {
    right: { calls: [weather('Oslo'), weather('Paris'), weather('Rome')] },
    wrong: [{ calls: [weather('Paris')] }, { calls: [weather('Paris'), weather('Rome')] }],
  },
  results: { right: { text: 'Rome' }, wrong: [{ text: 'Paris' }, { calls: [weather('Rome')] }] },
  'failed-result': { right: { calls: [{ name: 'get_time', input: {} }] }, wrong: [{ calls: [weather('Atlantis')] }] },
  images: { right: { text: 'Red.' }, wrong: [{ text: 'I see no image.' }] },
  effort: { right: { text: 'pong' }, wrong: [] },
  usage: {
    right: { text: 'pong' },
    wrong: [{ text: 'pong', usage: { input_tokens: 0, output_tokens: 0 } }],
  },
};

const models = {
  chat: (url: string) => openAiCompatibleModel({ provider: 'vllm', name: 'local', baseUrl: url }),
  anthropic: (url: string) => anthropicModel({ name: 'claude-sonnet-5-5', baseUrl: url, apiKey: 'k' }),
};

async function resultsOf(wire: keyof typeof models, said: readonly FakeMessage[]) {
  const server = await startFakeModelServer(said);
  try {
    const model = models[wire](server.url);
    const results = [];
    const options = { signal: new AbortController().signal, timeoutMs: 10_000 };
    for await (const result of runProbes(async () => model, options)) results.push(result);
    model.release?.();
    return { results, refused: server.refused };
  } finally {
    await server.close();
  }
}

describe.each(['chat', 'anthropic'] as const)('over the format %s', (wire) => {
  test('a model that does what is asked passes every probe, with requests that are valid', async () => {
    const { results, refused } = await resultsOf(
      wire,
      probes.map(({ id }) => answers[id]?.right ?? {}),
    );
    expect(refused).toEqual([]);
    expect(results.filter(({ works }) => !works)).toEqual([]);
    expect(results.map(({ id }) => id)).toEqual(Object.keys(answers));
  });
});

test('each answer that differs from what was asked fails its probe, with what was wrong', async () => {
  const rounds = Math.max(...Object.values(answers).map(({ wrong }) => wrong.length));
  for (let round = 0; round < rounds; round += 1) {
    const said = probes.map(({ id }) => answers[id]?.wrong[round] ?? answers[id]?.right ?? {});
    const { results } = await resultsOf('chat', said);
    for (const { id, works, problem } of results) {
      const isWrong = answers[id]?.wrong[round] !== undefined;
      expect({ id, round, works }).toEqual({ id, round, works: !isWrong });
      expect(typeof problem).toBe(isWrong ? 'string' : 'undefined');
    }
  }
});
