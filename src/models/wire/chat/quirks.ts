import type { Effort } from '../../../contract/model.js';
import { FOREIGN_SIGNATURE } from '../call-in-history.js';
import { geminiSchemas, type SchemaLimits } from '../tool-schema.js';

type Fields = Readonly<Record<string, unknown>>;

/** How servers with the Chat Completions format differ. Each difference is a value here, never a branch elsewhere. */
export interface Quirks {
  /** The field that limits the output tokens. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage must be requested with `stream_options`. Some servers refuse the field and send usage anyway. */
  asksForUsage: boolean;
  /** When the model's reasoning is sent back with its message, in the field in which it arrived. */
  reasoningBack: 'never' | 'with_calls' | 'always';
  /** A field that messages with calls must have, even if empty, or the server refuses them. */
  reasoningRequired?: string;
  /** Whether text may start with `<think>…</think>`. */
  thinksInline: boolean;
  /** Whether to request parallel calls; undefined if the server has them on by default or does not know the field. */
  parallelToolCalls?: boolean;
  /** The form of call ids: a maximum length, or an exact length with only letters and digits. */
  callId: { longest: number } | { exactly: number };
  /** Whether a tool result must name the tool. */
  namesToolInResult: boolean;
  /** An assistant message that must stand between tool results and the user's text. */
  betweenToolAndUser?: string;
  /** Whether text must be a single string. Otherwise several texts are sent as parts. */
  textAsString: boolean;
  /** The content of a message with calls and no text. */
  contentOfBareCalls: '' | null;
  /** Fields of the first call of a message, if the server itself gave it none: it was made by a model of another vendor. */
  firstCallExtra?: Fields;
  /** The request fields for each effort level. */
  effort: Readonly<Record<Effort, Fields>>;
  /** The parts of JSON Schema that the server supports. */
  schema: SchemaLimits;
  /** Sent with every request. */
  fields?: Fields;
  /**
   * How the server is made to answer with a valid call after a malformed one: by naming the tool in `tool_choice`, by
   * requiring any call there, or by a JSON schema in `response_format`. Only for servers that enforce it by a grammar.
   */
  validCall?: 'named' | 'required' | 'schema';
}

const anyEffort: Quirks['effort'] = {
  none: { reasoning_effort: 'none' },
  low: { reasoning_effort: 'low' },
  medium: { reasoning_effort: 'medium' },
  high: { reasoning_effort: 'high' },
  max: { reasoning_effort: 'high' },
};

/** For servers whose thinking can only be turned on or off. */
const onOrOff = (off: Fields, on: Fields): Quirks['effort'] => ({ none: off, low: on, medium: on, high: on, max: on });

const thinkingType = onOrOff({ thinking: { type: 'disabled' } }, { thinking: { type: 'enabled' } });

const templateSwitch = onOrOff(
  { chat_template_kwargs: { enable_thinking: false } },
  { chat_template_kwargs: { enable_thinking: true } },
);

const fullSchemas: SchemaLimits = { strict: false };

/** The schemas that templates and grammars of local servers can handle. */
const simpleSchemas: SchemaLimits = {
  strict: false,
  inlineRefs: true,
  constAsEnum: true,
  oneOfAsAnyOf: true,
  tuplesAsArrays: true,
  plainNames: true,
  drop: ['propertyNames', 'patternProperties', 'unevaluatedProperties', 'if', 'then', 'else', 'not', 'contains'],
};

/** For unknown servers: what most of them accept. */
const usual: Quirks = {
  maxTokensField: 'max_tokens',
  asksForUsage: true,
  reasoningBack: 'with_calls',
  thinksInline: true,
  callId: { longest: 40 },
  namesToolInResult: false,
  textAsString: true,
  contentOfBareCalls: '',
  effort: anyEffort,
  schema: simpleSchemas,
};

interface KnownServer {
  /** How the server is recognised if the provider has another name: a host with port, or a host suffix. */
  hosts: readonly string[];
  /** What differs from the defaults. */
  quirks: Partial<Quirks>;
}

/** By the provider's name in settings. */
const knownServers: Readonly<Record<string, KnownServer>> = {
  openai: {
    hosts: ['api.openai.com'],
    quirks: {
      maxTokensField: 'max_completion_tokens',
      reasoningBack: 'never',
      thinksInline: false,
      textAsString: false,
      contentOfBareCalls: null,
      effort: { ...anyEffort, max: { reasoning_effort: 'xhigh' } },
      schema: fullSchemas,
    },
  },
  openrouter: {
    hosts: ['openrouter.ai'],
    quirks: {
      reasoningBack: 'always',
      textAsString: false,
      effort: {
        none: { reasoning: { enabled: false } },
        low: { reasoning: { effort: 'low' } },
        medium: { reasoning: { effort: 'medium' } },
        high: { reasoning: { effort: 'high' } },
        max: { reasoning: { effort: 'xhigh' } },
      },
    },
  },
  deepseek: {
    hosts: ['api.deepseek.com'],
    quirks: { reasoningRequired: 'reasoning_content', effort: thinkingType, schema: fullSchemas },
  },
  qwen: {
    hosts: ['aliyuncs.com'],
    quirks: {
      parallelToolCalls: true,
      effort: {
        none: { enable_thinking: false },
        low: { enable_thinking: true, thinking_budget: 2048 },
        medium: { enable_thinking: true, thinking_budget: 8192 },
        high: { enable_thinking: true, thinking_budget: 24_576 },
        max: { enable_thinking: true },
      },
    },
  },
  glm: {
    hosts: ['bigmodel.cn', 'z.ai'],
    quirks: { effort: thinkingType, fields: { tool_stream: true } }, // without it, arguments arrive only once complete
  },
  kimi: {
    hosts: ['moonshot.ai', 'moonshot.cn', 'api.kimi.com'],
    quirks: { reasoningRequired: 'reasoning_content', effort: thinkingType },
  },
  mistral: {
    hosts: ['mistral.ai'],
    quirks: {
      asksForUsage: false,
      reasoningBack: 'always',
      thinksInline: false,
      callId: { exactly: 9 },
      namesToolInResult: true,
      betweenToolAndUser: 'Understood.',
      effort: onOrOff({ reasoning_effort: 'none' }, { reasoning_effort: 'high' }),
    },
  },
  google: {
    hosts: ['googleapis.com'],
    quirks: {
      reasoningBack: 'never',
      thinksInline: false,
      namesToolInResult: true,
      contentOfBareCalls: null,
      firstCallExtra: { extra_content: { google: { thought_signature: FOREIGN_SIGNATURE } } },
      effort: { ...anyEffort, none: { reasoning_effort: 'minimal' } },
      schema: geminiSchemas,
    },
  },
  xai: {
    hosts: ['api.x.ai'],
    quirks: { maxTokensField: 'max_completion_tokens', reasoningBack: 'never', schema: fullSchemas },
  },
  groq: {
    hosts: ['api.groq.com'],
    quirks: { maxTokensField: 'max_completion_tokens', reasoningBack: 'never' }, // it refuses messages with reasoning
  },
  cerebras: { hosts: ['api.cerebras.ai'], quirks: { maxTokensField: 'max_completion_tokens' } },
  together: { hosts: ['together.xyz', 'together.ai'], quirks: {} },
  fireworks: { hosts: ['api.fireworks.ai'], quirks: {} },
  ollama: { hosts: ['localhost:11434', '127.0.0.1:11434', 'ollama.com'], quirks: { validCall: 'schema' } },
  lmstudio: { hosts: ['localhost:1234', '127.0.0.1:1234'], quirks: { validCall: 'schema' } },
  llamacpp: { hosts: [], quirks: { effort: templateSwitch, validCall: 'required' } },
  vllm: { hosts: [], quirks: { effort: templateSwitch, validCall: 'named' } },
};

/**
 * The quirks of a provider, found by its name, else by its address, else the defaults; the user's overrides come last.
 */
export function quirksOf(provider: string, baseUrl: string, own: Partial<Quirks> = {}): Quirks {
  const host = URL.parse(baseUrl)?.host ?? '';
  const found = Object.values(knownServers).find(({ hosts }) => hosts.some((known) => isAt(host, known)));
  // "openai" at another address is a server that imitates OpenAI and lacks some of its features.
  const named = provider !== 'openai' && Object.hasOwn(knownServers, provider) ? knownServers[provider] : undefined;
  return { ...usual, ...(named ?? found)?.quirks, ...own };
}

const isAt = (host: string, known: string): boolean => host === known || host.endsWith(`.${known}`);
