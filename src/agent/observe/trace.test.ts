import {
  type Attributes,
  ProxyTracerProvider,
  type SpanContext,
  type SpanStatus,
  SpanStatusCode,
  type TracerProvider,
  trace,
} from '@opentelemetry/api';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { traceSdk } from '../../../test/counterparts.js';
import { createAgent } from '../../compose/create-agent.js';
import { type Model, type ModelEvent, ModelFailure } from '../../contract/model.js';
import { scriptedModel } from '../../models/scripted.js';
import { temporaryProject } from '../../testing/temporary-project.js';
import { type Observer, observedEvents, observedModel } from './observe.js';
import { createTrace } from './trace.js';

/** The official collector, as far as these tests use it: its types are not here when this is compiled. */
interface TraceSdk {
  BasicTracerProvider: new (options: { spanProcessors: object[] }) => TracerProvider;
  SimpleSpanProcessor: new (exporter: object) => object;
  InMemorySpanExporter: new () => { getFinishedSpans(): FinishedSpan[] };
}

interface FinishedSpan {
  name: string;
  spanContext(): SpanContext;
  parentSpanContext?: SpanContext;
  status: SpanStatus;
  attributes: Attributes;
  duration: [seconds: number, nanoseconds: number];
}

const fetched = traceSdk();
let sdk: TraceSdk;

beforeAll(async () => {
  if (fetched.isThere) sdk = (await import(fetched.url)).default;
});

beforeEach(({ skip }) => {
  if (!fetched.isThere) skip(fetched.missing);
});

afterEach(() => trace.disable());

function collected() {
  const exporter = new sdk.InMemorySpanExporter();
  const provider = new sdk.BasicTracerProvider({ spanProcessors: [new sdk.SimpleSpanProcessor(exporter)] });
  trace.disable();
  trace.setGlobalTracerProvider(provider);
  return () =>
    exporter.getFinishedSpans().map((span) => ({
      name: span.name,
      id: span.spanContext().spanId,
      traceId: span.spanContext().traceId,
      parent: span.parentSpanContext?.spanId,
      status: span.status,
      attributes: span.attributes,
      ms: Number(span.duration[0]) * 1e3 + Number(span.duration[1]) / 1e6,
    }));
}

async function traced(model: Model, env: Record<string, string> = {}, fallbacks: Model[] = []) {
  const project = await temporaryProject({ 'a.txt': 'hello password=hunter2hunter2\n' });
  const observers: Observer[] = [];
  const agent = createAgent({
    model: observedModel(model, observers),
    fallbackModels: fallbacks.map((each) => observedModel(each, observers)),
    retries: { maxRetries: 1, baseMs: 0 },
    root: project.root,
    dataFolder: project.path('../helve'),
  });
  const problems: string[] = [];
  const made = await createTrace({ env, onProblem: (sentence) => problems.push(sentence) });
  if (made) observers.push(made);
  const events = await Array.fromAsync(observedEvents(agent.run('go'), observers));
  await made?.close();
  await agent.end();
  return { problems, session: agent.session.id, events };
}

const twoCalls = () =>
  scriptedModel({
    name: 'script-1',
    turns: [
      {
        calls: [
          { name: 'Read', input: { file_path: 'a.txt' }, id: 'call_read' },
          { name: 'Bash', input: { command: 'touch b.txt' }, id: 'call_bash' },
        ],
        usage: { input_tokens: 1, cache_read_input_tokens: 10, cache_creation_input_tokens: 100, output_tokens: 5 },
      },
      { text: 'Done.' },
    ],
  });

test('a run is a span with a child span for each request and call, by the semantic conventions for models', async () => {
  const spans = collected();
  const { session } = await traced(twoCalls());
  const all = spans();
  const run = all.find(({ name }) => name === 'invoke_agent helve');
  expect(run?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': session,
    'gen_ai.request.model': 'script-1',
    'gen_ai.usage.output_tokens': 5,
    'helve.outcome': 'completed',
    'helve.turns': 2,
  });
  const below = all.filter(({ parent }) => parent === run?.id);
  expect(below.map(({ name }) => name).toSorted()).toEqual([
    'chat script-1',
    'chat script-1',
    'execute_tool Bash',
    'execute_tool Read',
  ]);
  expect(below.find(({ name }) => name === 'chat script-1')?.attributes).toEqual({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'scripted',
    'gen_ai.system': 'scripted',
    'gen_ai.request.model': 'script-1',
    'gen_ai.request.max_tokens': 32_000,
    'gen_ai.request.stream': true,
    'gen_ai.response.model': 'script-1',
    'gen_ai.response.id': 'msg_script_1',
    'gen_ai.response.finish_reasons': ['tool_use'],
    'gen_ai.usage.input_tokens': 111,
    'gen_ai.usage.output_tokens': 5,
    'gen_ai.usage.cache_read.input_tokens': 10,
    'gen_ai.usage.cache_creation.input_tokens': 100,
  });
  expect(below.find(({ name }) => name === 'execute_tool Read')).toMatchObject({
    status: { code: SpanStatusCode.UNSET },
    attributes: {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'Read',
      'gen_ai.tool.call.id': 'call_read',
      'helve.decision': 'allow',
      'helve.decision.basis': 'workspace',
    },
  });
  expect(below.find(({ name }) => name === 'execute_tool Bash')).toMatchObject({
    status: { code: SpanStatusCode.ERROR },
    attributes: { 'error.type': 'permission_denied', 'helve.decision': 'ask' },
  });
});

test('spans have no content unless it is enabled, and then no secrets', async () => {
  const spans = collected();
  await traced(twoCalls());
  expect(JSON.stringify(spans())).not.toMatch(/a\.txt|hello|hunter2/);

  const detailed = collected();
  await traced(twoCalls(), { OTEL_LOG_TOOL_DETAILS: '1' });
  const details = JSON.stringify(detailed());
  expect(details).toContain('gen_ai.tool.call.arguments');
  expect(details).not.toContain('gen_ai.tool.call.result');

  const whole = collected();
  await traced(twoCalls(), { OTEL_LOG_TOOL_CONTENT: 'true' });
  const read = whole().find(({ name }) => name === 'execute_tool Read');
  expect(read?.attributes['gen_ai.tool.call.arguments']).toBe('{"file_path":"a.txt"}');
  expect(read?.attributes['gen_ai.tool.call.result']).toMatch(/hello password=\[redacted/);
});

test('a failed request and the request to the fallback model are two spans', async () => {
  const spans = collected();
  const busy: Model = {
    provider: 'test',
    name: 'busy',
    maxOutputTokens: 9,
    // biome-ignore lint/correctness/useYield: it fails before there is anything to say
    async *stream(): AsyncGenerator<ModelEvent> {
      throw new ModelFailure('overloaded', 'Overloaded.', { status: 529 });
    },
  };
  await traced(busy, {}, [scriptedModel({ name: 'other', turns: [{ text: 'Hi.' }] })]);
  const chats = spans().filter(({ name }) => name.startsWith('chat'));
  expect(chats).toMatchObject([
    {
      name: 'chat busy',
      status: { code: SpanStatusCode.ERROR, message: 'Overloaded.' },
      attributes: { 'error.type': 'overloaded', 'http.response.status_code': 529 },
    },
    { name: 'chat other', status: { code: SpanStatusCode.UNSET } },
  ]);
});

test('the span of an interrupted request is marked, and the span of the run ends', async () => {
  const spans = collected();
  const controller = new AbortController();
  const slow: Model = {
    provider: 'test',
    name: 'slow',
    maxOutputTokens: 9,
    async *stream(_request, signal): AsyncGenerator<ModelEvent> {
      yield { type: 'text_delta', text: 'well' };
      controller.abort(new Error('enough'));
      signal.throwIfAborted();
    },
  };
  const project = await temporaryProject();
  const made = await createTrace({ env: {}, onProblem: () => {} });
  const observers = made ? [made] : [];
  const agent = createAgent({ model: slow, observers, root: project.root, dataFolder: project.path('../helve') });
  await Array.fromAsync(agent.run('go', { signal: controller.signal }));
  await made?.close();
  expect(spans()).toMatchObject([
    { name: 'chat slow', attributes: { 'error.type': 'interrupted' } },
    { name: 'invoke_agent helve', attributes: { 'error.type': 'interrupted', 'helve.outcome': 'interrupted' } },
  ]);
});

test('TRACEPARENT sets the parent span, and an invalid value is ignored', async () => {
  const spans = collected();
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  await traced(scriptedModel({ turns: [{ text: 'Hi.' }] }), { TRACEPARENT: `00-${traceId}-${spanId}-01` });
  expect(spans().at(-1)).toMatchObject({ name: 'invoke_agent helve', traceId, parent: spanId });

  for (const bad of ['', 'x', `ff-${traceId}-${spanId}-01`, `00-${'0'.repeat(32)}-${spanId}-01`]) {
    await traced(scriptedModel({ turns: [{ text: 'Hi.' }] }), { TRACEPARENT: bad });
    expect(spans().at(-1)?.parent).toBeUndefined();
  }
});

test('reports that no provider is registered, or that the API is not installed', async () => {
  const { problems } = await traced(scriptedModel({ turns: [{ text: 'Hi.' }] }));
  expect(problems).toEqual([expect.stringContaining('no tracer provider is registered')]);

  const told: string[] = [];
  const missing = Object.assign(new Error("Cannot find package '@opentelemetry/api'"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  const load = () => Promise.reject(missing);
  expect(await createTrace({ env: {}, load, onProblem: (sentence) => told.push(sentence) })).toBeUndefined();
  expect(told).toEqual([expect.stringContaining('@opentelemetry/api is not installed')]);
});

test('a provider that was registered and removed does not count', async () => {
  trace.setGlobalTracerProvider(new ProxyTracerProvider());
  trace.disable();
  const told: string[] = [];
  expect(await createTrace({ env: {}, onProblem: (sentence) => told.push(sentence) })).toBeUndefined();
  expect(told).toHaveLength(1);
});

test('an observer that throws does not affect the run', async () => {
  const warnings: Error[] = [];
  const onWarning = (warning: Error): void => void warnings.push(warning);
  process.on('warning', onWarning);
  const broken: Observer = {
    take() {
      throw new Error('The observer failed.');
    },
    request() {
      throw new Error('The observer failed.');
    },
    close() {},
  };
  const project = await temporaryProject();
  const agent = createAgent({
    model: observedModel(scriptedModel({ turns: [{ text: 'Hi.' }] }), [broken]),
    root: project.root,
    dataFolder: project.path('../helve'),
  });
  const events = await Array.fromAsync(observedEvents(agent.run('go'), [broken]));
  await new Promise((done) => setImmediate(done)); // warnings are emitted in a later tick
  process.off('warning', onWarning);
  expect(events.at(-1)).toMatchObject({ type: 'result', outcome: 'completed', text: 'Hi.' });
  expect(warnings.map(({ message }) => message)).toContain('The observer failed.');
});
