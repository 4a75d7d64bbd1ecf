import { deepSeekTokens } from './deepseek-tokens.js';
import { dsml } from './dsml.js';
import { functionTags } from './function-tags.js';
import { glmMessage, glmTags } from './glm.js';
import { harmony } from './harmony.js';
import { hermes } from './hermes.js';
import { jsonMessage } from './json-message.js';
import { kimi } from './kimi.js';
import { mistral } from './mistral.js';
import { pythonicMessage, pythonTag } from './pythonic.js';
import type { MessageFormat, TaggedFormat } from './written-call.js';

/** The formats in which models write calls as text, by the name that events have for them. */
export const taggedFormats = {
  hermes,
  'function tags': functionTags,
  DSML: dsml,
  'DeepSeek tokens': deepSeekTokens,
  GLM: glmTags,
  Kimi: kimi,
  Harmony: harmony,
  'python tag': pythonTag,
  Mistral: mistral,
} as const satisfies Readonly<Record<string, TaggedFormat>>;

/** Those without a tag, which must be the whole message. */
export const messageFormats = {
  JSON: jsonMessage,
  pythonic: pythonicMessage,
  'GLM-4': glmMessage,
} as const satisfies Readonly<Record<string, MessageFormat>>;

export type TextCallFormat = keyof typeof taggedFormats | keyof typeof messageFormats;
