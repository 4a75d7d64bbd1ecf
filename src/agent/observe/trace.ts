// A trace of each run by the conventions that OpenTelemetry has for generative models: one span for the run, below it one
// for each request to a model and one for each call. The person chooses the collector by loading an SDK of their
// choice into the process; without one, nothing is recorded. docs/debugging.md says how.
import type { Attributes, Context, Span, SpanContext, Tracer } from '@opentelemetry/api';
import type { ToolResultEvent } from '../../contract/event.js';
import { ModelFailure, type Usage } from '../../contract/model.js';
import { codeOf } from '../../platform/error-code.js';
import { cutMiddle } from '../../platform/text/truncate.js';
import { redactSecrets } from '../store/redact-secrets.js';
import type { Observer, RequestObserver } from './observe.js';

const MAX_ATTRIBUTE_CHARS = 60_000;
const MAX_FLUSH_MS = 5_000; // so that an unreachable collector does not delay the end of a run

type Api = typeof import('@opentelemetry/api');

type Environment = Readonly<Record<string, string | undefined>>;

export interface TraceOptions {
  env: Environment;
  /** Known secret values of any format. */
  secrets?: readonly string[];
  /** Called with one sentence for the person if traces are configured but not possible. */
  onProblem: (sentence: string) => void;
  /** Loads the API; tests replace it to simulate that it is not installed. */
  load?: () => Promise<Api>;
}

/** Undefined if there is no tracer that takes the spans; a notice says why. */
export async function createTrace(options: TraceOptions): Promise<Observer | undefined> {
  const { env, load = loadApi, onProblem } = options;
  const api = await load().catch((error: unknown) => {
    if (!isMissing(error)) throw error;
    onProblem(
      'OTEL_* is set, but @opentelemetry/api is not installed beside helve, so nothing is traced. ' +
        'Install it there together with an SDK, or unset the OTEL_* variables.',
    );
  });
  if (!api) return undefined;
  const provider = api.trace.getTracerProvider();
  const real = provider instanceof api.ProxyTracerProvider ? provider.getDelegate() : provider;
  if (real === new api.ProxyTracerProvider().getDelegate()) {
    onProblem(
      'OTEL_* is set, but no tracer provider is registered in this process, so nothing is traced. ' +
        'Load an SDK that registers one, as in NODE_OPTIONS="--import /path/to/tracing.mjs".',
    );
    return undefined;
  }
  return traceTo(api, provider.getTracer('helve'), {
    parent: parentFrom(api, env) ?? api.context.active(),
    content: contentPolicy(env, options.secrets ?? []),
    flush: async () => {
      if ('forceFlush' in real && typeof real.forceFlush === 'function') await real.forceFlush();
    },
  });
}

/** Not with a literal name, which bundlers would resolve: the package is optional. */
async function loadApi(): Promise<Api> {
  const name = '@opentelemetry/api';
  return await import(name);
}

/** The code differs between `import` and `require`. */
const isMissing = (error: unknown): boolean =>
  ['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND'].includes(codeOf(error) ?? '');

interface TraceSurroundings {
  parent: Context;
  content: ContentPolicy;
  flush(): Promise<void>;
}

/** The spans of one session, run after run. */
function traceTo(api: Api, tracer: Tracer, { parent, content, flush }: TraceSurroundings): Observer {
  const { SpanKind, SpanStatusCode } = api;
  const calls = new Map<string, Span>();
  let run: { span: Span; context: Context } | undefined;

  const fail = (span: Span, type: string, message?: string): void => {
    span.setAttribute('error.type', type);
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message: content.clean(message) }) });
  };
  const startRun = (): void => {
    endRun();
    const attributes = { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helve' };
    const span = tracer.startSpan('invoke_agent helve', { kind: SpanKind.INTERNAL, attributes }, parent);
    run = { span, context: api.trace.setSpan(parent, span) };
  };
  /** Also ends spans that are still open, for example if the events were not read to their end. */
  const endRun = (): void => {
    for (const span of calls.values()) span.end();
    calls.clear();
    run?.span.end();
    run = undefined;
  };
  const endCall = ({ callId, result, failure, at }: ToolResultEvent & { at: number }): void => {
    const span = calls.get(callId);
    if (!span) return;
    calls.delete(callId);
    const text = typeof result.content === 'string' ? result.content : JSON.stringify(result.content);
    span.setAttributes(content.result(text));
    if (result.is_error) fail(span, failure ?? 'exception', content.showsResults ? text : undefined);
    span.end(at);
  };

  return {
    begin: startRun,
    take(event) {
      switch (event.type) {
        case 'session_start':
          run?.span.setAttributes({
            'gen_ai.conversation.id': event.sessionId,
            'gen_ai.request.model': event.model,
            'helve.permission_mode': event.mode,
          });
          return;
        case 'tool_call': {
          const attributes = {
            'gen_ai.operation.name': 'execute_tool',
            'gen_ai.tool.name': event.tool,
            'gen_ai.tool.call.id': event.callId,
            'gen_ai.tool.type': 'function',
            ...content.input(event.input),
          };
          const options = { kind: SpanKind.INTERNAL, attributes, startTime: event.at };
          calls.set(event.callId, tracer.startSpan(`execute_tool ${event.tool}`, options, run?.context ?? parent));
          return;
        }
        case 'permission_decision': {
          const decided = event.decision.trail?.find((entry) => entry.decided);
          calls.get(event.callId)?.setAttributes({
            'helve.decision': event.decision.behavior,
            ...(decided && { 'helve.decision.basis': decided.basis }),
          });
          return;
        }
        case 'tool_start':
          calls.get(event.callId)?.addEvent('tool_start', event.at); // before that it waited for the gate, hooks or a person
          return;
        case 'tool_result':
          return endCall(event);
        case 'result': {
          const { outcome, turns, usage, costUsd } = event;
          run?.span.setAttributes({
            ...usageAttributes(usage),
            'helve.outcome': outcome,
            'helve.turns': turns,
            ...(costUsd !== null && { 'helve.cost_usd': costUsd }),
          });
          if (run && outcome !== 'completed') fail(run.span, outcome, event.text);
          return endRun();
        }
        default:
          return;
      }
    },
    request({ provider, name, maxOutputTokens }): RequestObserver {
      const attributes = {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': provider,
        'gen_ai.system': provider, // the earlier name of the attribute, for older collectors
        'gen_ai.request.model': name,
        'gen_ai.request.max_tokens': maxOutputTokens,
        'gen_ai.request.stream': true,
      };
      const span = tracer.startSpan(`chat ${name}`, { kind: SpanKind.CLIENT, attributes }, run?.context ?? parent);
      return {
        take(event) {
          if (event.type === 'message_start') {
            span.setAttributes({ 'gen_ai.response.model': event.model, 'gen_ai.response.id': event.id });
          }
          if (event.type === 'message_end') {
            const reasons = event.stopReason === null ? [] : [event.stopReason];
            span.setAttributes({ 'gen_ai.response.finish_reasons': reasons, ...usageAttributes(event.usage) });
          }
        },
        end({ failure, stopped }) {
          if (failure instanceof ModelFailure) {
            fail(span, failure.kind, failure.message);
            if (failure.status !== undefined) span.setAttribute('http.response.status_code', failure.status);
          } else if (failure !== undefined) fail(span, failure instanceof Error ? failure.name : 'unknown');
          else if (stopped) fail(span, 'interrupted');
          span.end();
        },
      };
    },
    async close() {
      endRun();
      await within(MAX_FLUSH_MS, flush);
    },
  };
}

/** Waits for the work at most this long, and ignores failures. */
async function within(milliseconds: number, work: () => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<void>((done) => {
    timer = setTimeout(done, milliseconds);
  });
  await Promise.race([work().catch(() => {}), tooLong]);
  clearTimeout(timer);
}

/** In the conventions, input tokens include cached tokens, which Helve counts separately. */
function usageAttributes(usage: Usage): Attributes {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = usage;
  return {
    'gen_ai.usage.input_tokens': input_tokens + cache_read_input_tokens + cache_creation_input_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    'gen_ai.usage.cache_read.input_tokens': cache_read_input_tokens,
    'gen_ai.usage.cache_creation.input_tokens': cache_creation_input_tokens,
  };
}

interface ContentPolicy {
  readonly showsResults: boolean;
  input(input: unknown): Attributes;
  result(text: string): Attributes;
  clean(text: string): string;
}

/** Content is exported only if the person enables it. */
function contentPolicy(env: Environment, secrets: readonly string[]): ContentPolicy {
  const showsResults = isOn(env['OTEL_LOG_TOOL_CONTENT']);
  const showsInputs = showsResults || isOn(env['OTEL_LOG_TOOL_DETAILS']);
  const clean = (text: string): string => cutMiddle(redactSecrets(text, secrets), MAX_ATTRIBUTE_CHARS);
  return {
    showsResults,
    input: (input) => (showsInputs ? { 'gen_ai.tool.call.arguments': clean(JSON.stringify(input) ?? '') } : {}),
    result: (text) => (showsResults ? { 'gen_ai.tool.call.result': clean(text) } : {}),
    clean,
  };
}

const isOn = (value: string | undefined): boolean => ['1', 'true', 'yes'].includes(value?.toLowerCase() ?? '');

/** Parses TRACEPARENT in the W3C format; an invalid value is ignored, as the standard requires. */
function parentFrom({ trace, ROOT_CONTEXT, createTraceState, isSpanContextValid }: Api, env: Environment) {
  const match = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/.exec(
    env['TRACEPARENT'] ?? '',
  );
  if (!match) return undefined;
  const [, traceId = '', spanId = '', flags = ''] = match;
  const state = env['TRACESTATE'];
  const spanContext: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags, 16),
    isRemote: true,
    ...(state && { traceState: createTraceState(state) }),
  };
  return isSpanContextValid(spanContext) ? trace.setSpanContext(ROOT_CONTEXT, spanContext) : undefined;
}
