import { isObject } from '../platform/is-object.js';
import { malformedTexts } from './malformed-texts.js';

/**
 * Violations of the rules of the Anthropic Messages API, in words like the API's own. A loop whose requests pass here
 * never loses a conversation to "400 invalid_request_error".
 */
export function protocolViolations(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not a JSON object'];
  const { model, max_tokens, messages, tools = [], system = [] } = body;
  const violations: string[] = [];
  if (typeof model !== 'string' || model === '') violations.push('model: must be a non-empty string');
  if (!Number.isInteger(max_tokens) || Number(max_tokens) < 1)
    violations.push('max_tokens: must be a positive integer');
  violations.push(...malformedTexts(body), ...toolViolations(tools), ...systemViolations(system));

  if (!Array.isArray(messages) || messages.length === 0) return [...violations, 'messages: at least one is required'];
  const shapes = messages.flatMap((message, at) => messageViolations(message, `messages.${at}`));
  violations.push(...shapes);
  // Calls and results can be compared only if messages and blocks have the right shape.
  if (messages.every(isWireMessage)) violations.push(...pairingViolations(messages));

  const marks = countMarks([tools, system, messages]);
  if (marks > MAX_MARKS) violations.push(`cache_control: at most ${MAX_MARKS} are allowed, found ${marks}`);
  return violations;
}

const MAX_MARKS = 4;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

type Fields = Readonly<Record<string, unknown>>;

/** A message whose content is text or blocks that have a type. */
export interface WireMessage {
  role: 'user' | 'assistant';
  content: string | WireBlock[];
}

/** A block of a message in Anthropic's format. */
export interface WireBlock {
  type: string;
  [field: string]: unknown;
}

function toolViolations(tools: unknown): string[] {
  if (!Array.isArray(tools)) return ['tools: must be an array'];
  const names = new Set<unknown>();
  return tools.flatMap((tool: unknown, at) => {
    const place = `tools.${at}`;
    if (!isObject(tool)) return [`${place}: must be an object`];
    const { name, type = 'custom', input_schema } = tool;
    const violations: string[] = [];
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
      violations.push(`${place}.name: ${JSON.stringify(name)} does not match ${TOOL_NAME.source}`);
    }
    if (names.has(name)) violations.push(`${place}.name: tool names must be unique, "${name}" is used twice`);
    names.add(name);
    if (type !== 'custom') return violations; // a server-side tool of the provider
    if (!isObject(input_schema) || input_schema['type'] !== 'object') {
      violations.push(`${place}.input_schema.type: must be "object"`);
    } else if (['oneOf', 'anyOf', 'allOf'].some((keyword) => keyword in input_schema)) {
      violations.push(`${place}.input_schema: oneOf, anyOf and allOf are not supported at the top level`);
    }
    return violations;
  });
}

function systemViolations(system: unknown): string[] {
  if (typeof system === 'string') return [];
  if (!Array.isArray(system)) return ['system: must be a string or an array of text blocks'];
  return system.flatMap((block: unknown, at) => {
    if (!isObject(block) || block['type'] !== 'text') return [`system.${at}: must be a text block`];
    return textViolations(block, `system.${at}`);
  });
}

function messageViolations(message: unknown, place: string): string[] {
  if (!isObject(message)) return [`${place}: must be an object`];
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return [`${place}.role: must be "user" or "assistant"`];
  if (typeof content === 'string') return hasWords(content) ? [] : [`${place}.content: must be non-empty`];
  if (!Array.isArray(content)) return [`${place}.content: must be a string or an array of blocks`];
  if (content.length === 0) return [`${place}.content: must be non-empty`];
  const last: unknown = content.at(-1);
  const endsThinking = role === 'assistant' && isWireBlock(last) && /thinking$/.test(last.type);
  return [
    ...content.flatMap((block: unknown, at) => blockViolations(block, role, `${place}.content.${at}`)),
    ...(endsThinking ? [`${place}: the final block in an assistant message cannot be thinking`] : []),
  ];
}

/** Blocks of other types belong to the provider's server-side tools and are not checked. */
function blockViolations(block: unknown, role: 'user' | 'assistant', place: string): string[] {
  if (!isWireBlock(block)) return [`${place}.type: is required`];
  const expected = BLOCK_ROLES[block.type];
  if (expected && expected !== role) return [`${place}: ${block.type} blocks belong in ${expected} messages`];
  switch (block.type) {
    case 'text':
      return textViolations(block, place);
    case 'image':
      return imageViolations(block, place);
    case 'thinking':
      return thinkingViolations(block, place);
    case 'redacted_thinking':
      return 'cache_control' in block ? [`${place}: cache_control can't be set on redacted_thinking blocks`] : [];
    case 'tool_use':
      return callViolations(block, place);
    case 'tool_result':
      return resultViolations(block, place);
    default:
      return [];
  }
}

const BLOCK_ROLES: Readonly<Record<string, 'user' | 'assistant'>> = {
  thinking: 'assistant',
  redacted_thinking: 'assistant',
  tool_use: 'assistant',
  server_tool_use: 'assistant',
  mcp_tool_use: 'assistant',
  tool_result: 'user',
  image: 'user',
};

function textViolations({ text, cache_control }: Fields, place: string): string[] {
  if (typeof text !== 'string') return [`${place}.text: must be a string`];
  if (hasWords(text)) return [];
  if (cache_control) return [`${place}: cache_control can't be set on empty text blocks`];
  return [`${place}.text: text blocks must contain non-whitespace text`];
}

function imageViolations({ source }: Fields, place: string): string[] {
  if (!isObject(source)) return [`${place}.source: is required`];
  if (source['type'] !== 'base64') return [];
  const violations: string[] = [];
  if (!IMAGE_TYPES.some((type) => type === source['media_type'])) {
    violations.push(`${place}.source.media_type: must be one of ${IMAGE_TYPES.join(', ')}`);
  }
  if (typeof source['data'] !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(source['data'])) {
    violations.push(`${place}.source.data: must be non-empty base64`);
  }
  return violations;
}

function thinkingViolations({ thinking, signature, cache_control }: Fields, place: string): string[] {
  const violations: string[] = [];
  if (typeof thinking !== 'string') violations.push(`${place}.thinking: must be a string`);
  if (typeof signature !== 'string' || signature === '') violations.push(`${place}.signature: is required`);
  if (cache_control) violations.push(`${place}: cache_control can't be set on thinking blocks`);
  return violations;
}

function callViolations({ id, name, input }: Fields, place: string): string[] {
  const violations: string[] = [];
  if (typeof id !== 'string' || !CALL_ID.test(id)) violations.push(`${place}.id: must match ${CALL_ID.source}`);
  if (typeof name !== 'string' || !TOOL_NAME.test(name))
    violations.push(`${place}.name: must match ${TOOL_NAME.source}`);
  if (!isObject(input)) violations.push(`${place}.input: must be an object`);
  return violations;
}

function resultViolations({ tool_use_id, content = '', is_error }: Fields, place: string): string[] {
  const violations: string[] = [];
  if (typeof tool_use_id !== 'string') violations.push(`${place}.tool_use_id: must be a string`);
  if (typeof content !== 'string' && !Array.isArray(content)) {
    return [...violations, `${place}.content: must be a string or an array of blocks`];
  }
  if (is_error && content.length === 0) violations.push(`${place}.content: can't be empty if is_error is true`);
  if (typeof content === 'string') return violations;
  for (const [at, block] of content.entries()) {
    const inner = `${place}.content.${at}`;
    if (!isWireBlock(block)) violations.push(`${inner}.type: is required`);
    else if (block.type === 'image') violations.push(...imageViolations(block, inner));
    else if (block.type === 'text' && !block['text']) violations.push(`${inner}.text: text blocks must be non-empty`);
    else if (['tool_use', 'tool_result', 'thinking'].includes(block.type)) {
      violations.push(`${inner}: ${block.type} blocks can't be inside a result`);
    }
  }
  return violations;
}

/** Every call is answered exactly once, in the very next message, with the results before everything else. */
function pairingViolations(messages: readonly WireMessage[]): string[] {
  const violations: string[] = [];
  if (messages[0]?.role !== 'user') violations.push('messages.0: the first message must be a user message');
  const known = new Set<string>();
  let unanswered = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    const place = `messages.${at}`;
    const blocks = typeof content === 'string' ? [] : content;
    const results = blocks.filter(({ type }) => type === 'tool_result').map((block) => String(block['tool_use_id']));
    const leading = blocks.findIndex(({ type }) => type !== 'tool_result');
    if (results.length > 0 && leading >= 0 && leading < results.length) {
      violations.push(`${place}: tool_result blocks must come before all other content`);
    }
    const answered = new Set<string>();
    for (const id of results) {
      if (answered.has(id)) violations.push(`${place}: tool_use ${id} has more than one tool_result`);
      else if (!unanswered.has(id))
        violations.push(`${place}: unexpected tool_result ${id}, the message before has no such tool_use`);
      answered.add(id);
    }
    const missing = [...unanswered].filter((id) => !answered.has(id));
    if (missing.length > 0) {
      violations.push(`${place}: tool_use ids without tool_result in the message right after: ${missing.join(', ')}`);
    }
    const calls = role === 'user' ? [] : blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id));
    unanswered = new Set(calls);
    for (const id of calls) {
      if (known.has(id)) violations.push(`${place}: tool_use ids must be unique, ${id} is used twice`);
      known.add(id);
    }
  }
  if (unanswered.size > 0) {
    violations.push(`messages: the last message leaves tool_use unanswered: ${[...unanswered].join(', ')}`);
  }
  return violations;
}

/** Cache breakpoints count where the API looks for them: in the lists, and in the blocks of messages and of results. */
function countMarks(list: unknown): number {
  if (Array.isArray(list)) return list.reduce<number>((sum, item) => sum + countMarks(item), 0);
  if (!isObject(list)) return 0;
  return (list['cache_control'] ? 1 : 0) + countMarks(Array.isArray(list['content']) ? list['content'] : []);
}

function isWireMessage(message: unknown): message is WireMessage {
  if (!isObject(message)) return false;
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant') return false;
  return typeof content === 'string' || (Array.isArray(content) && content.every(isWireBlock));
}

function isWireBlock(block: unknown): block is WireBlock {
  return isObject(block) && typeof block['type'] === 'string';
}

function hasWords(text: string): boolean {
  return /\S/.test(text);
}
