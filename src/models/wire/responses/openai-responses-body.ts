import { isDeepStrictEqual } from 'node:util';
import type { AssistantBlock, ContentBlock, Message, ToolResultBlock, UserBlock } from '../../../contract/message.js';
import type { JsonSchema, ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { wireName } from '../call-in-history.js';
import { levelSchema } from '../tool-schema.js';
import { wellFormedJson } from '../well-formed-json.js';
import { writtenOnce } from '../written-once.js';

type Item = Readonly<Record<string, unknown>>;

export interface ResponsesBodyOptions {
  seesImages: boolean;
  /** Sends the tools as the first item of the input, where a ChatGPT plan expects them. */
  toolsAsItem?: boolean | undefined;
}

/**
 * Writes request bodies. History only grows, so each message is serialised once and its text reused: old messages cost
 * only their bytes, and those bytes never change, which the provider's prompt cache requires.
 */
export function responsesBodies(
  fields: Readonly<Record<string, unknown>>,
  { seesImages, toolsAsItem }: ResponsesBodyOptions,
): (request: ModelRequest) => string {
  const beginning = wellFormedJson(fields).slice(0, -1);
  const messageTexts = new WeakMap<Message, string>();
  const toolTexts = new WeakMap<readonly ToolDefinition[], string>();

  return ({ system, tools, messages }) => {
    const instructions = system.filter((words) => words !== '').join('\n\n');
    const toolText = writtenOnce(toolTexts, tools, () => tools.map((tool) => wellFormedJson(wireTool(tool))).join(','));
    const itemTexts = messages.map((message) =>
      writtenOnce(messageTexts, message, () => itemsText(message, seesImages)),
    );

    const parts = [beginning];
    if (instructions) parts.push(`"instructions":${wellFormedJson(instructions)}`);
    const toolItem = `{"type":"additional_tools","role":"developer","tools":[${toolText}]}`;
    if (toolText && !toolsAsItem) parts.push(`"tools":[${toolText}]`);
    const input = toolText && toolsAsItem ? [toolItem, ...itemTexts] : itemTexts;
    parts.push(`"input":[${input.filter(Boolean).join(',')}]}`);
    return parts.join(',');
  };
}

/** The API enforces schemas by default; here only if that loses nothing of the schema. */
function wireTool({ name, description, input_schema }: ToolDefinition): Item {
  const { schema } = levelSchema(input_schema, { strict: false });
  const enforced = levelSchema(input_schema, { strict: true });
  const strict = enforced.strict && isDeepStrictEqual(enforced.schema, schema);
  return { type: 'function', name, description, parameters: plainObject(schema), strict };
}

/**
 * The API requires a plain object at the top level, without alternatives. What is dropped here is checked when the call
 * arrives.
 */
function plainObject(schema: JsonSchema): JsonSchema {
  const { anyOf: _, oneOf: __, allOf: ___, not: ____, enum: _____, ...rest } = schema;
  return { ...rest, type: 'object', properties: rest['properties'] ?? {} };
}

/** The items of a message, separated by commas; empty if the API would accept none of it. */
function itemsText(message: Message, seesImages: boolean): string {
  const items =
    message.role === 'user' ? userItems(message.content, seesImages) : withoutLoneReasoning(message.content);
  return items.map((item) => wellFormedJson(item)).join(',');
}

function userItems(content: readonly UserBlock[], seesImages: boolean): Item[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const rest = content.filter((block) => block.type !== 'tool_result');
  const parts = inputParts(rest, seesImages);
  return [
    ...results.map((result) => outputItem(result, seesImages)),
    ...(parts.length > 0 ? [{ type: 'message', role: 'user', content: parts }] : []),
  ];
}

function outputItem({ tool_use_id, content }: ToolResultBlock, seesImages: boolean): Item {
  const parts = typeof content === 'string' ? [] : inputParts(content, seesImages);
  const output = typeof content === 'string' ? content : parts.length > 0 ? parts : '';
  return { type: 'function_call_output', call_id: tool_use_id, output };
}

function inputParts(blocks: readonly ContentBlock[], seesImages: boolean): Item[] {
  return blocks.flatMap((block): Item[] => {
    if (block.type === 'text') {
      return block.text === '' ? [] : [{ type: 'input_text', text: block.text }];
    }
    if (!seesImages) return [{ type: 'input_text', text: '[An image was left out: this model can not see images.]' }];
    const { media_type, data } = block.source;
    return [{ type: 'input_image', image_url: `data:${media_type};base64,${data}`, detail: 'auto' }];
  });
}

/**
 * The model's output as items. The API refuses reasoning whose next item is missing or has lost its id, as in a
 * truncated response, and an item with an id whose reasoning is missing. So both are sent, or neither.
 */
function withoutLoneReasoning(content: readonly AssistantBlock[]): Item[] {
  const items: Item[] = [];
  let reasoning: Item[] = [];
  let frame: Item | undefined;
  for (const block of content) {
    const own = block.type === 'opaque' && block.provider === 'openai' ? block.value : undefined;
    if (own?.['type'] === 'reasoning') {
      reasoning = canStandAlone(own) ? [...reasoning, own] : [];
    } else if (own?.['type'] === 'message') {
      frame = own; // belongs to the text that follows
    } else {
      const item = itemOf(block, reasoning.length > 0 ? frame : withoutId(frame));
      const keepsReasoning = item && (item['type'] !== 'message' || item['id'] !== undefined);
      if (keepsReasoning) items.push(...reasoning);
      if (item) items.push(item);
      reasoning = [];
      frame = undefined;
    }
  }
  return items;
}

/** Without its content, encrypted or plain, a reasoning item refers to something that was never stored. */
function canStandAlone({ encrypted_content, content }: Item): boolean {
  return (
    (typeof encrypted_content === 'string' && encrypted_content !== '') ||
    (Array.isArray(content) && content.length > 0)
  );
}

function withoutId(frame: Item | undefined): Item | undefined {
  const { id: _, status: __, ...rest } = frame ?? {};
  return frame && rest;
}

function itemOf(block: AssistantBlock, frame: Item | undefined): Item | undefined {
  switch (block.type) {
    case 'text': {
      if (block.text === '') return undefined;
      // The form with parts needs the id and the status of the answer; without them, the API defines a plain text.
      if (frame?.['id'] === undefined) return { type: 'message', role: 'assistant', ...frame, content: block.text };
      return { ...frame, content: [{ type: 'output_text', text: block.text, annotations: [] }] };
    }
    case 'tool_use': // without the item's own id: it would refer to an item that the server never stored
      return {
        type: 'function_call',
        call_id: block.id,
        name: wireName(block.name),
        arguments: wellFormedJson(block.input ?? {}),
      };
    case 'thinking': // another provider's
      return undefined;
    case 'opaque':
      return block.provider === 'openai' && canGoBack(block.value) ? block.value : undefined;
  }
}

/**
 * Excludes blocks of the vendor's other API, and calls without a result, such as those of a tool that was never
 * offered.
 */
function canGoBack({ type, call_id }: Item): boolean {
  return typeof type === 'string' && typeof call_id !== 'string' && type !== 'mcp_approval_request';
}
