import { isDeepStrictEqual } from 'node:util';
import type { Effort, JsonSchema, ModelRequest, ToolDefinition } from '../../contract/model.js';
import { fields } from '../http/exchange.js';
import type { ProbeAnswer } from './collect-answer.js';

// What an agent needs of a model, one request each. A probe asks for one exact thing, so that its answer can be judged
// without another model.

/** One request, and what its answer shows. */
export interface Probe {
  id: string;
  /** What works if the probe succeeds. */
  title: string;
  request: ModelRequest;
  /** The effort that the request asks for. Default: the model's own. */
  effort?: Effort;
  /** Undefined if the answer is as it should be, else what is wrong with it. */
  problem(answer: ProbeAnswer): string | undefined;
}

const system = ['You are being tested by a program. Do exactly what is asked, once, with no explanation.'];

const tool = (
  name: string,
  description: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): ToolDefinition => ({
  name,
  description,
  input_schema: { type: 'object', properties, required, additionalProperties: false },
});

const text = { type: 'string' };
const weather = tool('get_weather', 'Returns the weather of one city.', { city: { ...text, description: 'The city' } });
const time = tool('get_time', 'Returns the current time. Takes no arguments.', {});
const write = tool('write_file', 'Writes a text file.', { path: text, content: text });
const order = tool('place_order', 'Places an order.', {
  customer: {
    type: 'object',
    properties: { name: text, tags: { type: 'array', items: text } },
    required: ['name', 'tags'],
  },
  items: {
    type: 'array',
    items: {
      type: 'object',
      properties: { sku: text, count: { type: 'integer' }, gift: { type: 'boolean' } },
      required: ['sku', 'count', 'gift'],
    },
  },
});
const light = tool('set_light', 'Switches a light.', { state: { type: 'string', enum: ['on', 'off', 'dimmed'] } });

const asks = (prompt: string, tools: readonly ToolDefinition[] = []): ModelRequest => ({
  system,
  tools,
  messages: [{ role: 'user', content: [{ type: 'text', text: prompt }] }],
});

const AWKWARD_TEXT = 'Zoë said: "naïve 東京 – 50 % 🚀"\n\tback\\slash';
const LINES = 60;
const longText = Array.from({ length: LINES }, (_, index) => `line ${index + 1}`).join('\n');
const nestedOrder = {
  customer: { name: 'Ada', tags: ['vip', 'eu'] },
  items: [
    { sku: 'A-1', count: 2, gift: false },
    { sku: 'B-2', count: 1, gift: true },
  ],
};
const RED_SQUARE =
  'iVBORw0KGgoAAAANSUhEUgAAAGAAAABgCAIAAABt+uBvAAAAi0lEQVR42u3QMQ0AAAjAsPnXiBgccHI1qYI2xUGBIEGCBAkSJEgQggQJEiRIkCBBCBIkSJAgQYIEoUCQIEGCBAkSJAhBggQJEiRIkCAECRIkSJAgQYIQJEiQIEGCBAkShCBBggQJEiRIEIIECRIkSJAgQQgSJEiQIEGCBAlCkCBBggQJEiQIQYIEPVqeUvHDiFuD0AAAAABJRU5ErkJggg==';

export const probes: readonly Probe[] = [
  {
    id: 'text',
    title: 'answers in text',
    request: asks('Reply with the single word: pong'),
    problem: ({ text: answer, calls }) =>
      /\bpong\b/i.test(answer) && calls.length === 0 ? undefined : `it answered ${quoted(answer)}`,
  },
  {
    id: 'streaming',
    title: 'streams its answer in pieces',
    request: asks('Write the numbers from 1 to 40 in words, separated by commas.'),
    problem: ({ pieces }) =>
      pieces > 2
        ? undefined
        : `all came in ${pieces === 1 ? 'one piece' : `${pieces} pieces`}: a long answer looks as if nothing happened`,
  },
  {
    id: 'call',
    title: 'calls a tool',
    request: asks('Call get_weather for Paris.', [weather, time]),
    problem: (answer) => oneCall(answer, 'get_weather', { city: 'Paris' }),
  },
  {
    id: 'no-call',
    title: 'answers without a call when none is needed',
    request: asks('Do not use a tool. Reply with the single word: pong', [weather, time]),
    problem: ({ text: answer, calls }) => {
      if (calls.length > 0) return `it called ${namesOf(calls)}`;
      return /\bpong\b/i.test(answer) ? undefined : `it answered ${quoted(answer)}`;
    },
  },
  {
    id: 'no-arguments',
    title: 'calls a tool that takes no arguments',
    request: asks('Call get_time.', [weather, time]),
    problem: (answer) => oneCall(answer, 'get_time', {}),
  },
  {
    id: 'choice',
    title: 'chooses among fixed values',
    request: asks('Call set_light so that the light is dimmed.', [light]),
    problem: (answer) => oneCall(answer, 'set_light', { state: 'dimmed' }),
  },
  {
    id: 'nested',
    title: 'fills nested objects and arrays',
    request: asks(`Call place_order with exactly this order:\n${JSON.stringify(nestedOrder, null, 2)}`, [order]),
    problem: (answer) => oneCall(answer, 'place_order', nestedOrder),
  },
  {
    id: 'unicode',
    title: 'keeps quotes, line breaks and other alphabets in arguments',
    request: asks(
      `Call write_file with the path "notes.txt" and this content, which begins after the first marker and ends before the second:\n<<<\n${AWKWARD_TEXT}\n>>>`,
      [write],
    ),
    problem: (answer) =>
      oneCall(answer, 'write_file', { path: 'notes.txt', content: AWKWARD_TEXT }, (input) => trimmedContent(input)),
  },
  {
    id: 'long',
    title: `sends long arguments (${LINES} lines) complete`,
    request: asks(
      `Call write_file with the path "lines.txt" and a content of ${LINES} lines: "line 1", "line 2", and so on to "line ${LINES}".`,
      [write],
    ),
    problem: (answer) =>
      oneCall(answer, 'write_file', { path: 'lines.txt', content: longText }, (input) => trimmedContent(input)),
  },
  {
    id: 'parallel',
    title: 'makes several calls in one answer',
    request: asks('Call get_weather for Paris, Rome and Oslo: three calls in this one answer.', [weather, time]),
    problem: ({ calls }) => {
      const cities = calls.map(({ input }) => fields(input)['city']);
      if (calls.length === 1) return 'it makes one call at a time, so work takes more requests';
      if (!isDeepStrictEqual(cities.toSorted(), ['Oslo', 'Paris', 'Rome'])) return `it called ${shownCalls(calls)}`;
      return new Set(calls.map(({ id }) => id)).size === 3 ? undefined : 'two calls have the same id';
    },
  },
  {
    id: 'results',
    title: 'reads the results of its calls, in any order',
    request: {
      system,
      tools: [weather, time],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'In which of Paris and Rome is it colder? Reply with the city alone.' }],
        },
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'call_2', name: 'get_weather', input: { city: 'Rome' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_2', content: '3 degrees' },
            { type: 'tool_result', tool_use_id: 'call_1', content: '21 degrees' },
          ],
        },
      ],
    },
    problem: ({ text: answer, calls }) =>
      calls.length === 0 && /\brome\b/i.test(answer) && !/\bparis\b/i.test(answer)
        ? undefined
        : `it answered ${calls.length > 0 ? `with a call of ${namesOf(calls)}` : quoted(answer)}`,
  },
  {
    id: 'failed-result',
    title: 'continues after a call that failed',
    request: {
      system,
      tools: [weather, time],
      messages: [
        {
          role: 'user',
          content: [{ type: 'text', text: 'Call get_weather for Atlantis. If it fails, call get_time.' }],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'call_1', name: 'get_weather', input: { city: 'Atlantis' } }],
        },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'call_1', content: 'There is no such city.', is_error: true }],
        },
      ],
    },
    problem: (answer) => oneCall(answer, 'get_time', {}),
  },
  {
    id: 'images',
    title: 'sees images',
    request: {
      system,
      tools: [],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: RED_SQUARE } },
            { type: 'text', text: 'Which colour is this square? Reply with one word.' },
          ],
        },
      ],
    },
    problem: ({ text: answer }) =>
      /\bred\b/i.test(answer) ? undefined : `it answered ${quoted(answer)} for a red square`,
  },
  {
    id: 'effort',
    title: 'can be told how much to think',
    request: asks('Reply with the single word: pong'),
    effort: 'low',
    problem: () => undefined, // a server that does not know the field refuses the request
  },
  {
    id: 'usage',
    title: 'reports how many tokens were used',
    request: asks('Reply with the single word: pong'),
    problem: ({ usage }) =>
      usage.input_tokens + usage.cache_read_input_tokens > 0 && usage.output_tokens > 0
        ? undefined
        : 'costs and the fill of its window are estimates',
  },
];

/** What is wrong with an answer that should be this one call. */
function oneCall(
  { calls, text: answer }: ProbeAnswer,
  name: string,
  input: unknown,
  normalized: (input: unknown) => unknown = (value) => value,
): string | undefined {
  const [call] = calls;
  if (call === undefined) return `it called no tool and answered ${quoted(answer)}`;
  if (calls.length > 1) return `it made ${calls.length} calls: ${shownCalls(calls)}`;
  if (call.name !== name) return `it called ${call.name}`;
  if (call.input === undefined) return `its arguments are not valid JSON: ${quoted(call.json)}`;
  return isDeepStrictEqual(normalized(call.input), normalized(input))
    ? undefined
    : `its arguments were ${quoted(call.json)}`;
}

/** A line break at the end is no fault. */
function trimmedContent(input: unknown): unknown {
  const { content, ...others } = fields(input);
  return typeof content === 'string' ? { ...others, content: content.replace(/\n$/, '') } : input;
}

const namesOf = (calls: ProbeAnswer['calls']): string => calls.map(({ name }) => name).join(', ');

const shownCalls = (calls: ProbeAnswer['calls']): string =>
  quoted(calls.map(({ name, json }) => `${name}(${json})`).join(', '));

const QUOTED_CHARS = 120;

function quoted(answer: string): string {
  const line = answer.trim().replaceAll(/\s+/g, ' ');
  if (line === '') return 'nothing';
  return line.length > QUOTED_CHARS ? `"${line.slice(0, QUOTED_CHARS)}…"` : `"${line}"`;
}
