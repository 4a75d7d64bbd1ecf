import type { Effort } from '../../../contract/model.js';
import type { SchemaLimits } from '../tool-schema.js';

type Fields = Readonly<Record<string, unknown>>;

/** Where servers of the Chat Completions format differ. Whatever one of them needs is a value here, never a branch. */
export interface Quirks {
  /** The field for the most tokens that an answer may have. */
  maxTokensField: 'max_tokens' | 'max_completion_tokens';
  /** Whether usage must be asked for by `stream_options`. Some servers refuse the field, and send usage anyway. */
  asksForUsage: boolean;
  /** When the model's reasoning goes back with the message that it belongs to, under the name that it came by. */
  reasoningBack: 'never' | 'with_calls' | 'always';
  /** The field that a message with calls must have, if only as an empty text, or the server refuses it. */
  reasoningRequired?: string;
  /** Whether an answer may begin with `<think>…</think>` in its text. */
  thinksInline: boolean;
  /** Whether calls in parallel are asked for; absent where the server has them on anyway, or does not know the field. */
  parallelToolCalls?: boolean;
  /** What ids of calls must look like: no longer than that, or exactly so long and of letters and digits only. */
  callId: { longest: number } | { exactly: number };
  /** Whether the answer to a call must name the tool. */
  namesToolInResult: boolean;
  /** Words of the assistant that must stand between the answers to calls and what the user says. */
  betweenToolAndUser?: string;
  /** Whether text must be one string. Else several texts stay apart as parts. */
  textAsString: boolean;
  /** The content of a message that has nothing but calls. */
  contentOfBareCalls: '' | null;
  /** The fields that say how much to think. */
  effort: Readonly<Record<Effort, Fields>>;
  /** What the server understands of schemas. */
  schema: SchemaLimits;
  /** Sent with every request. */
  fields?: Fields;
}

const anyEffort: Quirks['effort'] = {
  none: { reasoning_effort: 'none' },
  low: { reasoning_effort: 'low' },
  medium: { reasoning_effort: 'medium' },
  high: { reasoning_effort: 'high' },
  max: { reasoning_effort: 'high' },
};

/** For servers that can only be told whether to think. */
const onOrOff = (off: Fields, on: Fields): Quirks['effort'] => ({ none: off, low: on, medium: on, high: on, max: on });

const thinkingType = onOrOff({ thinking: { type: 'disabled' } }, { thinking: { type: 'enabled' } });

const templateSwitch = onOrOff(
  { chat_template_kwargs: { enable_thinking: false } },
  { chat_template_kwargs: { enable_thinking: true } },
);

const fullSchemas: SchemaLimits = { strict: false };

/** What templates and grammars of local servers can be trusted with. */
const simpleSchemas: SchemaLimits = {
  strict: false,
  inlineRefs: true,
  constAsEnum: true,
  oneOfAsAnyOf: true,
  tuplesAsArrays: true,
  plainNames: true,
  drop: ['propertyNames', 'patternProperties', 'unevaluatedProperties', 'if', 'then', 'else', 'not', 'contains'],
};

/** For a server that nobody has described: what most of them take. */
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
  /** Where it is found when the provider has another name: a host with its port, or the end of a host. */
  hosts: readonly string[];
  /** What differs from the usual. */
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
    quirks: { effort: thinkingType, fields: { tool_stream: true } }, // without it, arguments come only when complete
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
  ollama: { hosts: ['localhost:11434', '127.0.0.1:11434', 'ollama.com'], quirks: {} },
  lmstudio: { hosts: ['localhost:1234', '127.0.0.1:1234'], quirks: {} },
  llamacpp: { hosts: [], quirks: { effort: templateSwitch } },
  vllm: { hosts: [], quirks: { effort: templateSwitch } },
};

/** What is known of a provider by its name, else by its address, else what is usual; and the person's own word above. */
export function quirksOf(provider: string, baseUrl: string, own: Partial<Quirks> = {}): Quirks {
  const host = URL.parse(baseUrl)?.host ?? '';
  const found = Object.values(knownServers).find(({ hosts }) => hosts.some((known) => isAt(host, known)));
  // OpenAI's name at another address means a server that imitates it, and does not know all that OpenAI does.
  const named = provider !== 'openai' && Object.hasOwn(knownServers, provider) ? knownServers[provider] : undefined;
  return { ...usual, ...(named ?? found)?.quirks, ...own };
}

const isAt = (host: string, known: string): boolean => host === known || host.endsWith(`.${known}`);
