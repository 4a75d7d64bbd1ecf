export { type AnthropicOptions, anthropicModel } from './anthropic.js';
export { chooseModel } from './choose-model.js';
export { type OpenAiCompatibleOptions, openAiCompatibleModel } from './openai-compatible.js';
export { type OpenAiResponsesOptions, openAiResponsesModel } from './openai-responses.js';
export { type RetryOptions, withRetries } from './retry.js';
export { parseScript, type Script, type ScriptedCall, type ScriptedTurn, scriptedModel } from './scripted.js';
