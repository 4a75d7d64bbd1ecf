// The entry helve/models.
import type { Effort, Model } from '../contract/model.js';
import { chooseModel as choose, smallModel as chooseSmall } from '../models/catalogue/choose-model.js';

export type { RetryOptions } from '../contract/retry-options.js';
export { withRetries } from '../models/retry/retry.js';
export { parseScript, type Script, type ScriptedCall, type ScriptedTurn, scriptedModel } from '../models/scripted.js';
export { type AnthropicOptions, anthropicModel } from '../models/wire/anthropic/anthropic.js';
export {
  type OpenAiCompatibleOptions,
  openAiCompatibleModel,
  type TextCalls,
} from '../models/wire/chat/openai-compatible.js';
export type { Quirks } from '../models/wire/chat/quirks.js';
export { type GeminiOptions, geminiModel } from '../models/wire/gemini/gemini.js';
export { type OpenAiResponsesOptions, openAiResponsesModel } from '../models/wire/responses/openai-responses.js';
export type { SchemaLimits } from '../models/wire/tool-schema.js';

/** How a model that is chosen by its name works. */
export interface ChooseOptions {
  /** Default: the provider's own default for the model. */
  effort?: Effort;
}

/**
 * The model of this name: `provider/name`, a short name such as `sonnet`, a bare name that is known, or `scripted/FILE`.
 * Without one: as HELVE_MODEL says, else the default of models.json, else that of the first provider that has a key.
 * Rejects with `ModelFailure` if there is no such model. Makes no requests.
 */
export async function chooseModel(
  name?: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
  options: ChooseOptions = {},
): Promise<Model> {
  return await choose(name, env, options);
}

/** The model for small tasks: HELVE_SMALL_MODEL, else `small` in models.json, else none. */
export async function smallModel(
  env: Readonly<Record<string, string | undefined>> = process.env,
  options: ChooseOptions = {},
): Promise<Model | undefined> {
  return await chooseSmall(env, options);
}
