export type { RetryOptions } from '../contract/retry-options.js';
export { chooseModel } from './catalogue/choose-model.js';
export { withRetries } from './retry/retry.js';
export { parseScript, type Script, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted.js';
export { type AnthropicOptions, anthropicModel } from './wire/anthropic/anthropic.js';
export { type OpenAiCompatibleOptions, openAiCompatibleModel } from './wire/chat/openai-compatible.js';
export { type GeminiOptions, geminiModel } from './wire/gemini/gemini.js';
export { type OpenAiResponsesOptions, openAiResponsesModel } from './wire/responses/openai-responses.js';
