import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { typeErrors, vendorSdk } from '../../test/vendor-types.js';

const packages = ['@anthropic-ai/sdk', 'ai', 'openai'];

const program = `
import type Anthropic from '@anthropic-ai/sdk';
import type { JSONSchema7 } from 'ai';
import type OpenAI from 'openai';
import type { Engine, EngineTool, ToolCall } from '${resolve('src/contract/engine.js')}';
import type {
  ChatResultMessage, ChatTool, ChatToolCall, ResponsesItem, ResponsesOutput, ResponsesTool,
} from '${resolve('src/sdk/openai.js')}';

type Tools = Awaited<ReturnType<Engine['tools']>>;
type Results = Awaited<ReturnType<Engine['runCalls']>>;
const fits = <_A extends B, B>(): void => {};

fits<Tools, Anthropic.ToolUnion[]>();
fits<Anthropic.ToolUseBlock, ToolCall>();
fits<Results, Anthropic.ToolResultBlockParam[]>();

fits<ChatTool, OpenAI.ChatCompletionTool>();
fits<OpenAI.ChatCompletionMessageToolCall, ChatToolCall>();
fits<ChatResultMessage, OpenAI.ChatCompletionMessageParam>();

fits<ResponsesTool, OpenAI.Responses.Tool>();
fits<OpenAI.Responses.ResponseOutputItem, ResponsesItem>();
fits<ResponsesOutput, OpenAI.Responses.ResponseInputItem>();

fits<EngineTool['input_schema'], JSONSchema7>();
// @ts-expect-error: a type that does not fit is reported
fits<ToolCall, JSONSchema7>();
`;

test("an engine is compatible with the types of the vendors' SDKs", async ({ skip }) => {
  const missing = packages.map(vendorSdk).find(({ isThere }) => !isThere)?.missing;
  if (missing !== undefined) skip(missing);
  expect(await typeErrors(program, packages)).toBe('');
});
