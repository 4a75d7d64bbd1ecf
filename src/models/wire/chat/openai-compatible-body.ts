import { createHash } from 'node:crypto';
import type {
  AssistantMessage,
  ContentBlock,
  ImageBlock,
  Message,
  ToolResultBlock,
  UserMessage,
} from '../../../contract/message.js';
import type { ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { objectInput, wireName } from '../call-in-history.js';
import { type LevelledSchema, levelSchema } from '../tool-schema.js';
import { wellFormedJson } from '../well-formed-json.js';
import { writtenOnce } from '../written-once.js';
import type { Quirks } from './quirks.js';

type Fields = Readonly<Record<string, unknown>>;

export interface ChatBodyOptions {
  provider: string;
  quirks: Quirks;
  seesImages: boolean;
}

export interface ChatBodies {
  /** `extra`: fields of this request alone. */
  write(request: ModelRequest, extra?: Fields): string;
  /** A tool of the request in the form that the provider received. */
  schemaOf(tools: readonly ToolDefinition[], name: string): LevelledSchema | undefined;
}

interface WireMessage {
  role: 'user' | 'assistant' | 'tool';
  json: string;
}

interface WireTools {
  json: string;
  schemas: ReadonlyMap<string, LevelledSchema>;
}

/**
 * Writes request bodies. History only grows, so each message is serialised once and its text reused: old messages cost
 * only their bytes, and those bytes never change, which the provider's prompt cache requires.
 */
export function chatBodies(fields: Fields, options: ChatBodyOptions): ChatBodies {
  const { quirks } = options;
  const beginning = wellFormedJson(fields).slice(0, -1);
  const written = new WeakMap<Message, readonly WireMessage[]>();
  const toolSets = new WeakMap<readonly ToolDefinition[], WireTools>();
  const wireTools = (tools: readonly ToolDefinition[]) => writtenOnce(toolSets, tools, () => writeTools(tools, quirks));

  return {
    schemaOf: (tools, name) => wireTools(tools).schemas.get(name),
    write({ system, tools, messages }, extra = {}) {
      const { json: toolText, schemas } = wireTools(tools);
      const wire = messages.flatMap((message, at) =>
        writtenOnce(written, message, () =>
          message.role === 'assistant'
            ? assistantMessages(message, options, schemas)
            : userMessages(message, messages[at - 1], options),
        ),
      );
      const words = system.filter(hasWords).join('\n\n');
      const texts = words === '' ? [] : [wellFormedJson({ role: 'system', content: words })];
      for (const [at, { role, json: text }] of wire.entries()) {
        const between = role === 'user' && wire[at - 1]?.role === 'tool' ? quirks.betweenToolAndUser : undefined;
        if (between) texts.push(wellFormedJson({ role: 'assistant', content: between }));
        texts.push(text);
      }
      const parts = [beginning];
      for (const [name, value] of Object.entries(extra)) parts.push(`${JSON.stringify(name)}:${wellFormedJson(value)}`);
      if (toolText) {
        if (quirks.parallelToolCalls !== undefined) parts.push(`"parallel_tool_calls":${quirks.parallelToolCalls}`);
        parts.push(`"tools":[${toolText}]`);
      }
      parts.push(`"messages":[${texts.join(',')}]}`);
      return parts.join(',');
    },
  };
}

function writeTools(tools: readonly ToolDefinition[], { schema: limits }: Quirks): WireTools {
  const schemas = new Map(tools.map(({ name, input_schema }) => [name, levelSchema(input_schema, limits)]));
  const texts = tools.map(({ name, description }) => {
    const { schema: parameters, strict } = schemas.get(name) ?? {};
    return wellFormedJson({ type: 'function', function: { name, description, parameters, ...(strict && { strict }) } });
  });
  return { json: texts.join(','), schemas };
}

/** Empty if nothing is left that a server would accept. */
function assistantMessages(
  { content }: AssistantMessage,
  { provider, quirks }: ChatBodyOptions,
  schemas: WireTools['schemas'],
): WireMessage[] {
  const calls = content.filter((block) => block.type === 'tool_use');
  const words = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
  const own = content.flatMap((block) => (block.type === 'opaque' && block.provider === provider ? [block.value] : []));
  if (calls.length === 0 && !hasWords(words)) return [];

  const message: Record<string, unknown> = { role: 'assistant', content: words || quirks.contentOfBareCalls };
  const goesBack = quirks.reasoningBack === 'always' || (quirks.reasoningBack === 'with_calls' && calls.length > 0);
  if (goesBack) addReasoning(message, own, new Map(calls.map(({ id }) => [id, wireId(id, quirks.callId)])));
  const required = quirks.reasoningRequired;
  if (required && calls.length > 0) message[required] ??= '';
  if (calls.length > 0) {
    const extras = callExtras(content, provider);
    message['tool_calls'] = calls.map(({ id, name, input }, at) => ({
      id: wireId(id, quirks.callId),
      ...(extras.get(id) ?? (at === 0 ? quirks.firstCallExtra : undefined)),
      type: 'function',
      function: {
        name: wireName(name),
        arguments: wellFormedJson(objectInput(schemas.get(name)?.toWire(input) ?? input)),
      },
    }));
  }
  return [{ role: 'assistant', json: wellFormedJson(message) }];
}

/** What the server said about each call beside its arguments, by the call's id: it came right before the call. */
function callExtras(content: AssistantMessage['content'], provider: string): ReadonlyMap<string, Fields> {
  const extras = new Map<string, Fields>();
  for (const [at, block] of content.entries()) {
    const before = content[at - 1];
    if (block.type !== 'tool_use' || before?.type !== 'opaque' || before.provider !== provider) continue;
    const { type, extra_content } = before.value;
    if (type === 'call_extra') extras.set(block.id, { extra_content });
  }
  return extras;
}

/** Each kind of reasoning is sent back in the field in which it arrived. Details may refer to a call by its id. */
function addReasoning(
  message: Record<string, unknown>,
  kept: readonly Fields[],
  callIds: ReadonlyMap<unknown, string>,
): void {
  for (const { field, text, details } of kept) {
    if (typeof field !== 'string') continue;
    const before = message[field];
    if (Array.isArray(details)) {
      const tied = details.map((detail: Fields) =>
        callIds.has(detail['id']) ? { ...detail, id: callIds.get(detail['id']) } : detail,
      );
      message[field] = [...(Array.isArray(before) ? before : []), ...tied];
    } else if (field === 'content') {
      const thought = { type: 'thinking', thinking: [{ type: 'text', text }] };
      const said = Array.isArray(before) ? before : before ? [{ type: 'text', text: before }] : [];
      message[field] = [thought, ...said];
    } else message[field] = `${typeof before === 'string' ? before : ''}${text}`;
  }
}

/** Tool results first, one message each, then images that they can't hold, then the user's text. */
function userMessages(
  { content }: UserMessage,
  before: Message | undefined,
  { quirks, seesImages }: ChatBodyOptions,
): WireMessage[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const said = content.filter((block) => block.type !== 'tool_result');
  const tools = toolsOf(before);
  const wire: WireMessage[] = results.map((result) => {
    const name = quirks.namesToolInResult ? tools.get(result.tool_use_id) : undefined;
    const tool_call_id = wireId(result.tool_use_id, quirks.callId);
    return {
      role: 'tool',
      json: wellFormedJson({
        role: 'tool',
        tool_call_id,
        ...(name !== undefined && { name: wireName(name) }),
        content: resultText(result, seesImages),
      }),
    };
  });
  const shown = seesImages ? results.flatMap((result) => imagesOf(result, tools.get(result.tool_use_id))) : [];
  const parts = userParts([...shown, ...said], quirks, seesImages);
  if (parts !== undefined) wire.push({ role: 'user', json: wellFormedJson({ role: 'user', content: parts }) });
  return wire;
}

/** Tool names by call id. */
function toolsOf(message: Message | undefined): ReadonlyMap<string, string> {
  const calls = message?.role === 'assistant' ? message.content.filter((block) => block.type === 'tool_use') : [];
  return new Map(calls.map(({ id, name }) => [id, name]));
}

/** The format allows no images in tool results, so they follow in the user message. */
function resultText({ content }: ToolResultBlock, seesImages: boolean): string {
  if (typeof content === 'string') return content || NO_OUTPUT;
  const texts = content.map((block) => {
    if (block.type === 'text') return block.text;
    return seesImages ? '[The image follows in the next message.]' : LEFT_OUT;
  });
  return texts.filter(Boolean).join('\n') || NO_OUTPUT;
}

const NO_OUTPUT = '(no output)'; // some servers refuse a message without content
const LEFT_OUT = "[An image was left out, because this model can't see images.]";

function imagesOf({ content }: ToolResultBlock, tool: string | undefined): ContentBlock[] {
  const images = typeof content === 'string' ? [] : content.filter((block) => block.type === 'image');
  if (images.length === 0) return [];
  return [{ type: 'text', text: `[Result of ${tool ?? 'the tool'}:]` }, ...images];
}

function userParts(blocks: readonly ContentBlock[], quirks: Quirks, seesImages: boolean): unknown {
  const shown = blocks
    .map((block): ContentBlock => (block.type === 'image' && !seesImages ? { type: 'text', text: LEFT_OUT } : block))
    .filter((block) => block.type === 'image' || hasWords(block.text));
  if (shown.length === 0) return undefined;
  const texts = shown.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  if (texts.length === shown.length && (quirks.textAsString || texts.length === 1)) return texts.join('\n\n');
  return shown.map((block) => (block.type === 'text' ? { type: 'text', text: block.text } : imagePart(block)));
}

const imagePart = ({ source: { media_type, data } }: ImageBlock): Fields => ({
  type: 'image_url',
  image_url: { url: `data:${media_type};base64,${data}` },
});

/** An id that the server accepts. The mapping is deterministic, so that calls and results still match. */
function wireId(id: string, rule: Quirks['callId']): string {
  const hash = () => BigInt(`0x${createHash('sha256').update(id).digest('hex')}`).toString(36);
  if ('longest' in rule) {
    if (id.length <= rule.longest) return id;
    const ending = `_${hash().slice(0, 16)}`;
    return id.slice(0, rule.longest - ending.length) + ending;
  }
  return id.length === rule.exactly && /^[a-zA-Z0-9]+$/.test(id) ? id : hash().slice(0, rule.exactly);
}

const hasWords = (text: string): boolean => /\S/.test(text);
