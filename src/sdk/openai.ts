import type { Engine, ResultImage, RunCallsOptions, ToolResult } from '../contract/engine.js';

/** A tool as Chat Completions takes it. */
export interface ChatTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A call as it stands in `tool_calls` of an answer. Only calls of functions are run. */
export interface ChatToolCall {
  id: string;
  function?: { name: string; arguments: string };
}

/** One answer for each call. The format has no images in answers, so they follow in a separate message. */
export type ChatResultMessage =
  | { role: 'tool'; tool_call_id: string; content: string }
  | {
      role: 'user';
      content: Array<{ type: 'text'; text: string } | { type: 'image_url'; image_url: { url: string } }>;
    };

/** The tools of an engine in the format of OpenAI's Chat Completions, which many other servers use too. */
export interface ChatTools {
  /** For `tools` of a request. */
  tools(): Promise<ChatTool[]>;
  /** Runs `tool_calls` of an answer; append the answer and then the returned messages to the messages. */
  runCalls(calls: readonly ChatToolCall[], options?: RunCallsOptions): Promise<ChatResultMessage[]>;
}

/** An engine for a loop around OpenAI's Chat Completions. */
export const chatTools = (engine: Engine): ChatTools => ({
  async tools() {
    return (await engine.tools()).map(({ name, description, input_schema }) => ({
      type: 'function',
      function: { name, description, parameters: { ...input_schema } },
    }));
  },
  async runCalls(calls, options) {
    const asked = calls.flatMap(({ id, function: called }) =>
      called ? [{ id, name: called.name, input: inputFrom(called.arguments) }] : [],
    );
    const results = await engine.runCalls(asked, options);
    const images = results.flatMap(imagesOf);
    return [
      ...results.map((result) => ({
        role: 'tool' as const,
        tool_call_id: result.tool_use_id,
        content: textOf(result, '[The image follows in the next message.]'),
      })),
      ...(images.length === 0
        ? []
        : [
            {
              role: 'user' as const,
              content: [
                { type: 'text' as const, text: '[Images from the results:]' },
                ...images.map((image) => ({ type: 'image_url' as const, image_url: { url: addressOf(image) } })),
              ],
            },
          ]),
    ];
  },
});

/** A tool as Responses takes it. */
export interface ResponsesTool {
  type: 'function';
  name: string;
  description: string;
  parameters: Record<string, unknown>;
  strict: false;
}

/** An item of a response; items that are not calls of functions are ignored. */
export interface ResponsesItem {
  type: string;
  call_id?: string | null;
  name?: string | null;
  arguments?: unknown;
}

/** The answer to one call. */
export interface ResponsesOutput {
  type: 'function_call_output';
  call_id: string;
  output: Array<{ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' }>;
}

/** The tools of an engine in the format of OpenAI's Responses. */
export interface ResponsesTools {
  /** For `tools` of a request. */
  tools(): Promise<ResponsesTool[]>;
  /** Runs the calls among the `output` of a response; append that output and then the returned items to the input. */
  runCalls(items: readonly ResponsesItem[], options?: RunCallsOptions): Promise<ResponsesOutput[]>;
}

/** An engine for a loop around OpenAI's Responses. */
export const responsesTools = (engine: Engine): ResponsesTools => ({
  async tools() {
    return (await engine.tools()).map(({ name, description, input_schema }) => ({
      type: 'function',
      name,
      description,
      parameters: { ...input_schema },
      strict: false,
    }));
  },
  async runCalls(items, options) {
    const asked = items.flatMap(({ type, call_id: id, name, arguments: text }) =>
      type === 'function_call' && id && name ? [{ id, name, input: inputFrom(String(text)) }] : [],
    );
    return (await engine.runCalls(asked, options)).map(({ tool_use_id, content }) => ({
      type: 'function_call_output',
      call_id: tool_use_id,
      output: (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content).map((block) =>
        block.type === 'text'
          ? { type: 'input_text', text: block.text }
          : { type: 'input_image', image_url: addressOf(block), detail: 'auto' },
      ),
    }));
  },
});

/** Arguments that are not JSON stay a text, which fits no tool's schema: the result says so, and nothing runs. */
function inputFrom(text: string): unknown {
  if (text.trim() === '') return {}; // how servers send a call without arguments
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

const textOf = ({ content }: ToolResult, forImage: string): string =>
  typeof content === 'string'
    ? content
    : content.map((block) => (block.type === 'text' ? block.text : forImage)).join('\n');

const imagesOf = ({ content }: ToolResult): ResultImage[] =>
  typeof content === 'string' ? [] : content.filter((block) => block.type === 'image');

const addressOf = ({ source: { media_type, data } }: ResultImage): string => `data:${media_type};base64,${data}`;
