import type Anthropic from '@anthropic-ai/sdk';
import type { JSONSchema7 } from 'ai';
import type OpenAI from 'openai';
import { expectTypeOf, test } from 'vitest';
import type { Engine, EngineTool, ToolCall } from '../contract/engine.js';
import type {
  ChatResultMessage,
  ChatTool,
  ChatToolCall,
  ResponsesItem,
  ResponsesOutput,
  ResponsesTool,
} from './openai.js';

type Tools = Awaited<ReturnType<Engine['tools']>>;
type Results = Awaited<ReturnType<Engine['runCalls']>>;

// Errors here are reported by the compiler, in `npm run typecheck`.
test("an engine is compatible with the types of the vendors' SDKs", () => {
  expectTypeOf<Tools>().toExtend<Anthropic.ToolUnion[]>();
  expectTypeOf<Anthropic.ToolUseBlock>().toExtend<ToolCall>();
  expectTypeOf<Results>().toExtend<Anthropic.ToolResultBlockParam[]>();

  expectTypeOf<ChatTool>().toExtend<OpenAI.ChatCompletionTool>();
  expectTypeOf<OpenAI.ChatCompletionMessageToolCall>().toExtend<ChatToolCall>();
  expectTypeOf<ChatResultMessage>().toExtend<OpenAI.ChatCompletionMessageParam>();

  expectTypeOf<ResponsesTool>().toExtend<OpenAI.Responses.Tool>();
  expectTypeOf<OpenAI.Responses.ResponseOutputItem>().toExtend<ResponsesItem>();
  expectTypeOf<ResponsesOutput>().toExtend<OpenAI.Responses.ResponseInputItem>();

  expectTypeOf<EngineTool['input_schema']>().toExtend<JSONSchema7>();
});
