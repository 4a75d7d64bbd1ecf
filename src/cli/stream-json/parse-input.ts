// Parses one line from the host into a message, or an error message.
import type { UserBlock } from '../../contract/message.js';
import { isObject } from '../../platform/is-object.js';
import { readJson } from '../../platform/parse-json.js';
import { isBase64 } from '../../platform/text/base64.js';

type Fields = Readonly<Record<string, unknown>>;

export type HostMessage =
  | { type: 'user'; content: readonly UserBlock[]; uuid: string | undefined }
  | { type: 'control_request'; requestId: string; request: Fields & { subtype: string } }
  | { type: 'control_response'; requestId: string; response: HostResponse }
  | { type: 'control_cancel_request'; requestId: string }
  /** Nothing to do. */
  | { type: 'keep_alive' }
  /** `requestId`: the id of the invalid request, if it could be read. */
  | { type: 'problem'; problem: string; requestId?: string };

export type HostResponse = { subtype: 'success'; response: unknown } | { subtype: 'error'; error: string };

/** The most that a line of a host may have. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'];

const KNOWN_TYPES = ['user', 'control_request', 'control_response', 'control_cancel_request', 'keep_alive'];

export function parseInput(line: string): HostMessage {
  const { value, problem: why } = readJson(line.replace(/^\ufeff/, ''));
  if (why !== undefined) return problem(`it is not valid JSON (${why})`);
  if (!isObject(value)) return problem('it is not a JSON object');
  switch (value['type']) {
    case 'user':
      return parsePrompt(value);
    case 'control_request':
      return parseRequest(value);
    case 'control_response':
      return parseResponse(value);
    case 'control_cancel_request': {
      const requestId = value['request_id'];
      return typeof requestId === 'string'
        ? { type: 'control_cancel_request', requestId }
        : problem('"request_id" must be a string');
    }
    case 'keep_alive':
      return { type: 'keep_alive' };
    default:
      return problem(`"type" must be one of ${KNOWN_TYPES.join(', ')}, but was ${shown(value['type'])}`);
  }
}

function parsePrompt({ message, uuid }: Fields): HostMessage {
  if (!isObject(message)) return problem('"message" must be an object with "role" and "content"');
  const { role = 'user', content } = message;
  if (role !== 'user') return problem(`"message.role" must be "user", but was ${shown(role)}`);
  const blocks = parseContent(content);
  if (typeof blocks === 'string') return problem(blocks);
  if (blocks.every((block) => block.type === 'text' && block.text.trim() === '')) {
    return problem('"message.content" is empty, so there is nothing to send');
  }
  return { type: 'user', content: blocks, uuid: typeof uuid === 'string' ? uuid : undefined };
}

function parseContent(content: unknown): UserBlock[] | string {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content)) return `"message.content" must be a string or an array of blocks`;
  const blocks: UserBlock[] = [];
  for (const [index, item] of content.entries()) {
    const block = parseBlock(item);
    if (typeof block === 'string') return `"message.content[${index}]" ${block}`;
    blocks.push(block);
  }
  return blocks;
}

function parseBlock(block: unknown): UserBlock | string {
  if (!isObject(block)) return 'must be an object';
  if (block['type'] === 'text') {
    const { text } = block;
    return typeof text === 'string' ? { type: 'text', text } : 'must have its text in "text"';
  }
  if (block['type'] !== 'image') return `must be of the type text or image, but was ${shown(block['type'])}`;
  const { source } = block;
  if (!isObject(source) || source['type'] !== 'base64') return 'must have a "source" of the type base64';
  const { media_type, data } = source;
  if (typeof media_type !== 'string' || !IMAGE_TYPES.includes(media_type)) {
    return `must be an image of one of the types ${IMAGE_TYPES.join(', ')}, but was ${shown(media_type)}`;
  }
  if (typeof data !== 'string' || !isBase64(data)) return 'must have its bytes, as base64, in "source.data"';
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function parseRequest({ request_id: requestId, request }: Fields): HostMessage {
  if (typeof requestId !== 'string') return problem('"request_id" must be a string');
  if (!isObject(request)) return { ...problem('"request" must be an object'), requestId };
  const { subtype } = request;
  if (typeof subtype !== 'string') return { ...problem('"request.subtype" must be a string'), requestId };
  return { type: 'control_request', requestId, request: { ...request, subtype } };
}

function parseResponse({ response }: Fields): HostMessage {
  if (!isObject(response)) return problem('"response" must be an object');
  const { request_id: requestId, subtype, error } = response;
  if (typeof requestId !== 'string') return problem('"response.request_id" must be a string');
  if (subtype === 'success') {
    const misplaced = misplacedFields(response);
    if (misplaced.length > 0) {
      const names = misplaced.map((name) => `"${name}"`).join(', ');
      const where = 'beside "response", which is not read: an answer must be inside of it';
      return {
        type: 'control_response',
        requestId,
        response: { subtype: 'error', error: `the host sent ${names} ${where}` },
      };
    }
    return { type: 'control_response', requestId, response: { subtype, response: response['response'] } };
  }
  if (subtype !== 'error') return problem(`"response.subtype" must be success or error, but was ${shown(subtype)}`);
  const words = typeof error === 'string' ? error : 'the host gave no reason';
  return { type: 'control_response', requestId, response: { subtype, error: words } };
}

/** Fields of an answer that are one level too high. They may refuse, so they are never ignored. */
function misplacedFields(response: Fields): string[] {
  const hasAnswer = response['response'] !== undefined && response['response'] !== null;
  return Object.keys(response).filter(
    (name) => !ENVELOPE.has(name) && (!hasAnswer || ANSWER_FIELD.test(name.replace(/[^A-Za-z]/g, ''))),
  );
}

const ENVELOPE: ReadonlySet<string> = new Set(['subtype', 'request_id', 'response', 'error']);
const ANSWER_FIELD = /^(hookSpecificOutput|decision|permissionDecision|continue|behaviou?r|updatedInput|interrupt)$/i;

const problem = (words: string) => ({ type: 'problem', problem: words }) as const;

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

export const tooLong = (bytes: number): string =>
  `it has ${bytes} bytes, and a line may have ${MAX_LINE_BYTES} at most. Send large files as files, and name them in the prompt`;

/** Whether an unparsable line may have been an `initialize`, with the guards of a host. */
export const mayInitialize = (text: string): boolean => /"subtype"\s*:\s*"initiali[sz]e"/i.test(text);
