import type { KnownModel, Provider } from './catalogue.js';

// From the vendors' public documentation, November 2026. Uncertain facts are left out: an unknown cost is shown as
// null, but a wrong one would be believed. Prices are list prices for prompts of usual length; models with a surcharge
// that starts below 200,000 tokens, or with prices that depend on the hour or end on a known day, have no price here.

/** In the order in which they are tried when no model was named. */
export const providers: readonly Provider[] = [
  {
    id: 'anthropic',
    title: 'Anthropic',
    wire: 'anthropic',
    baseUrl: 'https://api.anthropic.com',
    baseUrlVariable: 'ANTHROPIC_BASE_URL',
    keys: [{ variable: 'ANTHROPIC_AUTH_TOKEN' }, { variable: 'ANTHROPIC_API_KEY' }],
    defaultModel: 'claude-sonnet-5-5',
    aliases: { sonnet: 'claude-sonnet-5-5', opus: 'claude-opus-5-5', haiku: 'claude-haiku-5-5' },
  },
  {
    id: 'openai',
    title: 'OpenAI',
    wire: 'responses',
    wireElsewhere: 'chat', // the format of servers that claim to be compatible with OpenAI
    baseUrl: 'https://api.openai.com/v1',
    baseUrlVariable: 'OPENAI_BASE_URL',
    keys: [{ variable: 'OPENAI_API_KEY' }],
    signIn: 'run helve login openai for a ChatGPT plan',
    defaultModel: 'gpt-6.1-sol',
  },
  {
    id: 'openrouter',
    title: 'OpenRouter',
    wire: 'chat',
    baseUrl: 'https://openrouter.ai/api/v1',
    baseUrlVariable: 'OPENROUTER_BASE_URL',
    keys: [{ variable: 'OPENROUTER_API_KEY' }],
    signIn: 'run helve login openrouter',
    defaultModel: 'anthropic/claude-sonnet-5.5',
    aliases: {
      sonnet: 'anthropic/claude-sonnet-5.5',
      opus: 'anthropic/claude-opus-5.5',
      haiku: 'anthropic/claude-haiku-5.5',
    },
  },
  {
    id: 'deepseek',
    title: 'DeepSeek',
    wire: 'chat',
    baseUrl: 'https://api.deepseek.com',
    baseUrlVariable: 'DEEPSEEK_BASE_URL',
    keys: [{ variable: 'DEEPSEEK_API_KEY' }],
    defaultModel: 'deepseek-flash',
  },
  {
    id: 'qwen',
    title: 'Alibaba Model Studio',
    wire: 'chat',
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    baseUrlVariable: 'DASHSCOPE_BASE_URL',
    keys: [{ variable: 'DASHSCOPE_API_KEY' }],
    defaultModel: 'qwen3.8-max',
  },
  {
    id: 'glm',
    title: 'Z.ai',
    wire: 'chat',
    baseUrl: 'https://api.z.ai/api/paas/v4',
    baseUrlVariable: 'ZAI_BASE_URL',
    // One vendor with two services; a key for one is not valid for the other.
    keys: [{ variable: 'ZAI_API_KEY' }, { variable: 'ZHIPU_API_KEY', baseUrl: 'https://open.bigmodel.cn/api/paas/v4' }],
    defaultModel: 'glm-5.3',
  },
  {
    id: 'kimi',
    title: 'Moonshot AI',
    wire: 'chat',
    baseUrl: 'https://api.moonshot.ai/v1',
    baseUrlVariable: 'MOONSHOT_BASE_URL',
    keys: [{ variable: 'MOONSHOT_API_KEY' }],
    defaultModel: 'kimi-k3',
  },
  {
    id: 'mistral',
    title: 'Mistral AI',
    wire: 'chat',
    baseUrl: 'https://api.mistral.ai/v1',
    baseUrlVariable: 'MISTRAL_BASE_URL',
    keys: [{ variable: 'MISTRAL_API_KEY' }],
    defaultModel: 'mistral-medium-latest',
  },
  {
    id: 'google',
    title: 'Google',
    wire: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com',
    baseUrlVariable: 'GOOGLE_GEMINI_BASE_URL',
    keys: [{ variable: 'GEMINI_API_KEY' }, { variable: 'GOOGLE_API_KEY' }],
    defaultModel: 'gemini-3.8-flash',
    aliases: { gemini: 'gemini-3.8-flash' },
  },
  {
    id: 'kimi-code', // a plan of its own: its keys are not valid for the API above
    title: 'Kimi Code',
    wire: 'chat',
    baseUrl: 'https://api.kimi.com/coding/v1',
    baseUrlVariable: 'KIMI_BASE_URL',
    keys: [{ variable: 'KIMI_API_KEY' }],
    defaultModel: 'kimi-for-coding',
  },
  {
    id: 'xai',
    title: 'xAI',
    wire: 'chat',
    baseUrl: 'https://api.x.ai/v1',
    baseUrlVariable: 'XAI_BASE_URL',
    keys: [{ variable: 'XAI_API_KEY' }],
    defaultModel: 'grok-4.5',
  },
  {
    id: 'groq',
    title: 'Groq',
    wire: 'chat',
    baseUrl: 'https://api.groq.com/openai/v1',
    baseUrlVariable: 'GROQ_BASE_URL',
    keys: [{ variable: 'GROQ_API_KEY' }],
    defaultModel: 'openai/gpt-oss-120b',
  },
  {
    id: 'cerebras',
    title: 'Cerebras',
    wire: 'chat',
    baseUrl: 'https://api.cerebras.ai/v1',
    baseUrlVariable: 'CEREBRAS_BASE_URL',
    keys: [{ variable: 'CEREBRAS_API_KEY' }],
    defaultModel: 'gpt-oss-120b',
  },
  {
    id: 'together',
    title: 'Together AI',
    wire: 'chat',
    baseUrl: 'https://api.together.xyz/v1',
    baseUrlVariable: 'TOGETHER_BASE_URL',
    keys: [{ variable: 'TOGETHER_API_KEY' }],
    defaultModel: 'openai/gpt-oss-120b',
  },
  {
    id: 'fireworks',
    title: 'Fireworks AI',
    wire: 'chat',
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    baseUrlVariable: 'FIREWORKS_BASE_URL',
    keys: [{ variable: 'FIREWORKS_API_KEY' }],
    defaultModel: 'accounts/fireworks/models/kimi-k3',
  },
  {
    id: 'azure',
    title: 'Azure OpenAI',
    wire: 'responses',
    cloud: 'azure',
    baseUrl: 'https://RESOURCE.openai.azure.com',
    baseUrlVariable: 'AZURE_OPENAI_ENDPOINT',
    keys: [{ variable: 'AZURE_OPENAI_API_KEY' }, { variable: 'AZURE_OPENAI_AD_TOKEN' }],
    // Deployments have names of their own, so there is no default model.
  },
  {
    id: 'bedrock',
    title: 'Amazon Bedrock',
    wire: 'anthropic',
    cloud: 'bedrock',
    baseUrl: 'https://bedrock-runtime.REGION.amazonaws.com',
    baseUrlVariable: 'ANTHROPIC_BEDROCK_BASE_URL',
    keys: [{ variable: 'AWS_BEARER_TOKEN_BEDROCK' }],
    // Other keys of AWS are set for many purposes, so they do not select this provider.
    secrets: ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'AWS_SESSION_TOKEN'],
    signIn: 'set AWS_PROFILE',
    defaultModel: 'global.anthropic.claude-sonnet-5-5',
    aliases: { sonnet: 'global.anthropic.claude-sonnet-5-5', opus: 'global.anthropic.claude-opus-5-5' },
  },
  {
    id: 'vertex',
    title: 'Google Vertex AI',
    wire: 'anthropic',
    cloud: 'vertex',
    baseUrl: 'https://LOCATION-aiplatform.googleapis.com/v1',
    baseUrlVariable: 'ANTHROPIC_VERTEX_BASE_URL',
    keys: [{ variable: 'CLOUDSDK_AUTH_ACCESS_TOKEN' }],
    signIn: 'run gcloud auth application-default login',
    setUpBy: ['ANTHROPIC_VERTEX_PROJECT_ID'],
    defaultModel: 'claude-sonnet-5-5',
    aliases: {
      sonnet: 'claude-sonnet-5-5',
      opus: 'claude-opus-5-5',
      haiku: 'claude-haiku-5-5',
      gemini: 'gemini-3.8-flash',
    },
  },
  {
    id: 'copilot',
    title: 'GitHub Copilot',
    wire: 'chat',
    baseUrl: 'https://api.individual.githubcopilot.com',
    keys: [],
    needsSignIn: true,
    signIn: 'run helve login copilot',
    headers: { 'editor-version': 'Helve/1', 'openai-intent': 'conversation-edits' },
    // The sign-in lists the models of the account, so there is no default model.
  },
  local('ollama', 'Ollama', 11434),
  local('lmstudio', 'LM Studio', 1234),
  local('llamacpp', 'llama.cpp', 8080),
  local('vllm', 'vLLM', 8000),
];

/** Programs that serve open models, each with a parser of its own for the calls of some of them. */
export const localServers: readonly string[] = ['ollama', 'lmstudio', 'llamacpp', 'vllm'];

/** Open models whose published templates write calls as text, so that a server without a parser passes them on. */
export const textCallFamilies: readonly string[] = [
  'chatglm',
  'codestral',
  'deepseek',
  'devstral',
  'glm',
  'gpt-oss',
  'granite',
  'hermes',
  'kimi',
  'llama',
  'meta-llama',
  'ministral',
  'mistral',
  'mixtral',
  'qwen',
  'qwq',
];

/** A server on this machine that needs no key, on its default port. */
function local(id: string, title: string, port: number): Provider {
  const baseUrlVariable = `${id.toUpperCase()}_BASE_URL`;
  return { id, title, wire: 'chat', baseUrl: `http://127.0.0.1:${port}/v1`, baseUrlVariable, keys: [] };
}

const million = 1_000_000;
const claude = { seesImages: true } as const;
const claude5 = { contextTokens: million, outputTokens: 128_000, ...claude } as const;
const claude45 = { contextTokens: 200_000, outputTokens: 64_000, ...claude } as const;
const gpt = { contextTokens: 1_050_000, outputTokens: 128_000, seesImages: true } as const;
const gptAlwaysThinking = { ...gpt, efforts: ['low', 'medium', 'high', 'max'] } as const;
const gptToHigh = { ...gpt, efforts: ['none', 'low', 'medium', 'high'] } as const;
const gpt51 = { ...gptToHigh, contextTokens: 400_000 } as const;
const gpt5 = { ...gpt51, efforts: ['low', 'medium', 'high'] } as const;
const gpt41 = { contextTokens: 1_047_576, outputTokens: 32_768, seesImages: true, efforts: [] } as const;
const gemini = { contextTokens: 1_048_576, outputTokens: 65_536, seesImages: true } as const;
const geminiAlwaysThinking = { ...gemini, efforts: ['low', 'medium', 'high'] } as const;
const geminiToMinimal = { ...gemini, efforts: ['none', 'low', 'medium', 'high'] } as const;
const gptOss = { contextTokens: 131_072, seesImages: false, efforts: ['low', 'medium', 'high'] } as const;
const reasoner = { ...gpt5, contextTokens: 200_000, outputTokens: 100_000 } as const;

export const models: Readonly<Record<string, KnownModel>> = {
  'anthropic/claude-fable-5-1': {
    ...claude5,
    prices: { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  },
  'anthropic/claude-opus-5-5': { ...claude5, prices: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 } },
  'anthropic/claude-sonnet-5-5': { ...claude5, prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } },
  'anthropic/claude-haiku-5-5': claude5, // five times the price for prompts over 100,000 tokens
  'anthropic/claude-opus-5': { ...claude5, prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  'anthropic/claude-sonnet-5': { ...claude5, prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } },
  'anthropic/claude-opus-4-6': { ...claude5, prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  'anthropic/claude-sonnet-4-6': { ...claude5, prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  'anthropic/claude-opus-4-5': { ...claude45, prices: { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 } },
  'anthropic/claude-sonnet-4-5': { ...claude45, prices: { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 } },
  'anthropic/claude-haiku-4-5': { ...claude45, prices: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 } },

  'openai/gpt-6-astra': gptAlwaysThinking,
  'openai/gpt-6.1-sol': { ...gptAlwaysThinking, prices: { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 } },
  'openai/gpt-6.1-terra': gpt,
  'openai/gpt-6-sol': { ...gpt, prices: { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 } },
  'openai/gpt-5.6-sol': gpt,
  'openai/gpt-5.6-terra': gpt,
  'openai/gpt-5.6-luna': gpt,
  'openai/gpt-5.5': gptToHigh,
  'openai/gpt-5.4': gptToHigh,
  'openai/gpt-5.2': { ...gpt51, prices: { input: 1.75, output: 14, cacheRead: 0.175 } },
  'openai/gpt-5.1': { ...gpt51, prices: { input: 1.25, output: 10, cacheRead: 0.125 } },
  'openai/gpt-5': { ...gpt5, prices: { input: 1.25, output: 10, cacheRead: 0.125 } },
  'openai/gpt-5-mini': { ...gpt5, prices: { input: 0.25, output: 2, cacheRead: 0.025 } },
  'openai/gpt-5-nano': { ...gpt5, prices: { input: 0.05, output: 0.4, cacheRead: 0.005 } },
  'openai/gpt-4.1': { ...gpt41, prices: { input: 2, output: 8, cacheRead: 0.5 } },
  'openai/gpt-4.1-mini': { ...gpt41, prices: { input: 0.4, output: 1.6, cacheRead: 0.1 } },
  'openai/o3': { ...reasoner, prices: { input: 2, output: 8, cacheRead: 0.5 } },
  'openai/o4-mini': { ...reasoner, prices: { input: 1.1, output: 4.4, cacheRead: 0.275 } },

  'openrouter/anthropic/claude-sonnet-5.5': claude5,
  'openrouter/anthropic/claude-opus-5.5': claude5,
  'openrouter/anthropic/claude-haiku-5.5': claude5,

  'deepseek/deepseek-flash': { contextTokens: million, outputTokens: 384_000, seesImages: true },
  'deepseek/deepseek-v4-pro': { contextTokens: million, outputTokens: 384_000, seesImages: false },
  'qwen/qwen3.8-max': {},
  'qwen/qwen3-coder-plus': { contextTokens: million, outputTokens: 65_536, seesImages: false },
  'glm/glm-5.3': { contextTokens: million, outputTokens: 128_000, seesImages: false },
  'glm/glm-5.2': { contextTokens: million, outputTokens: 128_000, seesImages: false },
  'kimi/kimi-k3': {
    contextTokens: 1_048_576,
    outputTokens: 131_072,
    seesImages: true,
    prices: { input: 3, output: 15, cacheRead: 0.3 },
  },
  'kimi/kimi-k2.6': {
    contextTokens: 262_144,
    seesImages: true,
    prices: { input: 0.95, output: 4, cacheRead: 0.16 },
  },
  'kimi-code/kimi-for-coding': {},
  'xai/grok-4.5': { contextTokens: 500_000, seesImages: true, efforts: ['low', 'medium', 'high'] },
  'xai/grok-4.3': { contextTokens: million, seesImages: true, efforts: ['none', 'low', 'medium', 'high'] },
  'xai/grok-build-0.1': { contextTokens: 256_000 },
  'groq/openai/gpt-oss-120b': { ...gptOss, outputTokens: 65_536, prices: { input: 0.15, output: 0.6 } },
  'groq/openai/gpt-oss-20b': { ...gptOss, outputTokens: 65_536, prices: { input: 0.075, output: 0.3 } },
  'cerebras/gpt-oss-120b': gptOss, // half of it without a paid plan
  'together/openai/gpt-oss-120b': { ...gptOss, prices: { input: 0.15, output: 0.6 } },
  'fireworks/accounts/fireworks/models/kimi-k3': { seesImages: true },
  'fireworks/accounts/fireworks/models/gpt-oss-120b': { ...gptOss, prices: { input: 0.15, output: 0.6 } },
  'mistral/mistral-medium-latest': { contextTokens: 256_000, seesImages: true },
  'mistral/devstral-latest': { contextTokens: 256_000 },

  'google/gemini-3.8-flash': geminiAlwaysThinking,
  'google/gemini-3.6-flash': geminiToMinimal,
  'google/gemini-3.5-flash-lite': geminiToMinimal,
  'google/gemini-3.1-pro-preview': { ...geminiAlwaysThinking, prices: { input: 2, output: 12, cacheRead: 0.2 } },
  'google/gemini-3.1-flash-lite': geminiToMinimal,
  'google/gemini-2.5-flash-lite': { ...geminiToMinimal, prices: { input: 0.1, output: 0.4, cacheRead: 0.01 } },

  // Their facts are those of the vendor's entries above.
  'bedrock/global.anthropic.claude-opus-5-5': {},
  'bedrock/global.anthropic.claude-sonnet-5-5': {},
  'vertex/claude-opus-5-5': {},
  'vertex/claude-sonnet-5-5': {},
  'vertex/claude-haiku-5-5': {},
  'vertex/gemini-3.8-flash': {},
  'vertex/gemini-3.1-pro-preview': {},
};
