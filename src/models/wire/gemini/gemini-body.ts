import type {
  AssistantBlock,
  AssistantMessage,
  ContentBlock,
  ImageBlock,
  Message,
  ToolResultBlock,
  UserMessage,
} from '../../../contract/message.js';
import type { ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { isObject } from '../../../platform/is-object.js';
import { FOREIGN_SIGNATURE, objectInput, wireName } from '../call-in-history.js';
import { geminiSchemas, type LevelledSchema, levelSchema } from '../tool-schema.js';
import { wellFormedJson } from '../well-formed-json.js';
import { writtenOnce } from '../written-once.js';

type Fields = Readonly<Record<string, unknown>>;

/** A part of a message, as it is on the wire. */
export type WirePart = Fields;

/** What an opaque block of this format holds: a signature of the block that follows it, or a whole part. */
export type KeptValue =
  | { type: 'signature'; of: 'text' | 'thinking' | 'tool_use'; thoughtSignature: string }
  | { type: 'part'; part: WirePart };

export interface GeminiBodyOptions {
  /** The provider whose opaque blocks are sent back. */
  provider: string;
  seesImages: boolean;
  /** Whether the model refuses calls without a signature, and takes images in function responses. */
  isGemini3: boolean;
}

export interface GeminiBodies {
  write(request: ModelRequest): string;
  /** A tool of the request in the form that the provider received. */
  schemaOf(tools: readonly ToolDefinition[], name: string): LevelledSchema | undefined;
}

interface WireTools {
  json: string;
  schemas: ReadonlyMap<string, LevelledSchema>;
}

/**
 * Writes request bodies. History only grows, so each message is serialised once and its text reused: old messages cost
 * only their bytes, and those bytes never change, which the provider's implicit cache requires.
 */
export function geminiBodies(fields: Fields, options: GeminiBodyOptions): GeminiBodies {
  const ending = wellFormedJson(fields).slice(1);
  const contents = new WeakMap<Message, string>();
  const toolSets = new WeakMap<readonly ToolDefinition[], WireTools>();
  const wireTools = (tools: readonly ToolDefinition[]) => writtenOnce(toolSets, tools, () => writeTools(tools));

  return {
    schemaOf: (tools, name) => wireTools(tools).schemas.get(name),
    write({ system, tools, messages }) {
      const { json: declarations, schemas } = wireTools(tools);
      const texts = messages.map((message, at) =>
        writtenOnce(contents, message, () =>
          message.role === 'assistant'
            ? contentText('model', modelParts(message, schemas, options))
            : contentText('user', userParts(message, messages[at - 1], options)),
        ),
      );
      const words = system.filter(hasWords).map((text) => ({ text }));
      const parts: string[] = [];
      if (words.length > 0) parts.push(`"systemInstruction":${wellFormedJson({ parts: words })}`);
      if (declarations) parts.push(`"tools":[{"functionDeclarations":[${declarations}]}]`);
      parts.push(`"contents":[${texts.filter(Boolean).join(',')}]`);
      return `{${parts.join(',')}${ending === '}' ? '}' : `,${ending}`}`;
    },
  };
}

function writeTools(tools: readonly ToolDefinition[]): WireTools {
  const schemas = new Map(tools.map(({ name, input_schema }) => [name, levelSchema(input_schema, geminiSchemas)]));
  const texts = tools.map(({ name, description }) => {
    const parametersJsonSchema = objectSchema(schemas.get(name)?.schema ?? {});
    return wellFormedJson({ name, description, ...(parametersJsonSchema && { parametersJsonSchema }) });
  });
  return { json: texts.join(','), schemas };
}

/** The parameters must be an object; a function without any has no schema. */
function objectSchema(schema: Fields): Fields | undefined {
  const { properties = {}, additionalProperties } = schema;
  const isEmpty = isObject(properties) && Object.keys(properties).length === 0;
  if (isEmpty && !additionalProperties && schema['anyOf'] === undefined) return undefined;
  return { ...schema, type: 'object', properties };
}

/** Empty if nothing is left that the API would accept. */
const contentText = (role: 'user' | 'model', parts: readonly WirePart[]): string =>
  parts.length === 0 ? '' : wellFormedJson({ role, parts });

/** Signatures go back on the very parts on which they came, and those of other providers are left out. */
function modelParts(
  { content }: AssistantMessage,
  schemas: WireTools['schemas'],
  { provider, isGemini3 }: GeminiBodyOptions,
): WirePart[] {
  const parts: WirePart[] = [];
  let signature: (KeptValue & { type: 'signature' }) | undefined;
  for (const block of content) {
    const kept = block.type === 'opaque' && block.provider === provider ? keptValue(block.value) : undefined;
    const own = signature?.of === block.type ? signature.thoughtSignature : undefined;
    signature = kept?.type === 'signature' ? kept : undefined;
    const part = kept?.type === 'part' ? kept.part : partOf(block, own, schemas);
    if (part) parts.push(part);
  }
  const firstCall = parts.findIndex((part) => 'functionCall' in part);
  return parts.map((part, at) =>
    isGemini3 && at === firstCall ? { thoughtSignature: FOREIGN_SIGNATURE, ...part } : part,
  );
}

/** Undefined for blocks of another format. Thoughts are sent back only if they are signed. */
function partOf(
  block: AssistantBlock,
  signature: string | undefined,
  schemas: WireTools['schemas'],
): WirePart | undefined {
  const signed = signature === undefined ? {} : { thoughtSignature: signature };
  switch (block.type) {
    case 'text':
      return block.text === '' ? undefined : { text: block.text, ...signed };
    case 'thinking':
      return signature === undefined ? undefined : { text: block.thinking, thought: true, ...signed };
    case 'tool_use': {
      const args = objectInput(schemas.get(block.name)?.toWire(block.input) ?? block.input);
      return { functionCall: { id: block.id, name: functionName(block.name), args }, ...signed };
    }
    case 'opaque':
      return undefined;
  }
}

function keptValue({ type, of, thoughtSignature, part }: Fields): KeptValue | undefined {
  if (type === 'part' && isObject(part)) return { type, part };
  const isKind = of === 'text' || of === 'thinking' || of === 'tool_use';
  return type === 'signature' && isKind && typeof thoughtSignature === 'string'
    ? { type, of, thoughtSignature }
    : undefined;
}

/** Results first, in the order of their calls, then images that older models don't take in results, then the user's text. */
function userParts({ content }: UserMessage, before: Message | undefined, options: GeminiBodyOptions): WirePart[] {
  const calls = before?.role === 'assistant' ? before.content.filter((block) => block.type === 'tool_use') : [];
  const names = new Map(calls.map(({ id, name }) => [id, name]));
  const results = content.filter((block) => block.type === 'tool_result');
  const said = content.filter((block) => block.type !== 'tool_result');
  const nameOf = ({ tool_use_id }: ToolResultBlock): string => names.get(tool_use_id) ?? 'tool';
  return [
    ...results.map((result) => responsePart(result, nameOf(result), options)),
    ...results.flatMap((result) => imagesAfter(result, nameOf(result), options)),
    ...said.flatMap((block) => contentParts(block, options)),
  ];
}

function responsePart(
  { tool_use_id, content, is_error }: ToolResultBlock,
  name: string,
  options: GeminiBodyOptions,
): WirePart {
  const blocks: readonly ContentBlock[] = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  const media = options.isGemini3 ? mediaParts(blocks, options) : [];
  const words = blocks
    .map((block) => {
      if (block.type === 'text') return block.text;
      const part = mediaPart(block, options);
      return part === undefined ? leftOut(block, options) : options.isGemini3 ? '' : '[The image follows the results.]';
    })
    .filter(Boolean)
    .join('\n');
  return {
    functionResponse: {
      id: tool_use_id,
      name: functionName(name),
      response: is_error ? { error: words } : { output: words },
      ...(media.length > 0 && { parts: media }),
    },
  };
}

function imagesAfter({ content }: ToolResultBlock, name: string, options: GeminiBodyOptions): WirePart[] {
  if (options.isGemini3 || typeof content === 'string') return [];
  const media = mediaParts(content, options);
  return media.length === 0 ? [] : [{ text: `[Result of ${name}:]` }, ...media];
}

function contentParts(block: ContentBlock, options: GeminiBodyOptions): WirePart[] {
  if (block.type === 'text') return block.text === '' ? [] : [{ text: block.text }];
  return [mediaPart(block, options) ?? { text: leftOut(block, options) }];
}

// What the models read; a request with anything else, such as a GIF, is refused.
const MEDIA_TYPES = ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif', 'application/pdf'];

/** Undefined for a text, and for media that the model can't read. */
function mediaPart(block: ContentBlock, { seesImages }: GeminiBodyOptions): WirePart | undefined {
  if (block.type === 'text' || !seesImages || !MEDIA_TYPES.includes(block.source.media_type)) return undefined;
  return { inlineData: { mimeType: block.source.media_type, data: block.source.data } };
}

const mediaParts = (blocks: readonly ContentBlock[], options: GeminiBodyOptions): WirePart[] =>
  blocks.map((block) => mediaPart(block, options)).filter((part) => part !== undefined);

const leftOut = ({ source }: ImageBlock, { seesImages }: GeminiBodyOptions): string =>
  seesImages
    ? `[A file of the type ${source.media_type} was left out, because this model can't read that type.]`
    : "[An image was left out, because this model can't see images.]";

/** The API refuses names that begin with a digit or a dash. */
const functionName = (name: string): string => wireName(/^[a-zA-Z_]/.test(name) ? name : `_${name}`);

const hasWords = (text: string): boolean => /\S/.test(text);
