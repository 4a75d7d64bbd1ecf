import { isObject } from '../platform/is-object.js';
import { malformedTexts } from './malformed-texts.js';

/**
 * Violations of the rules of the OpenAI Responses API, in words like the API's own, for a conversation that the
 * server does not store.
 */
export function responsesViolations(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not a JSON object'];
  const { model, input, tools = [], instructions = '' } = body;
  const violations: string[] = [];
  if (typeof model !== 'string' || model === '') violations.push('model: must be a non-empty string');
  if (typeof instructions !== 'string') violations.push('instructions: must be a string');
  violations.push(...malformedTexts(body), ...toolViolations(tools));
  if (typeof input === 'string' && input !== '') return violations;
  if (!Array.isArray(input) || input.length === 0) return [...violations, 'input: must be a text or a list of items'];
  if (!input.every(isObject)) return [...violations, 'input: every item must be an object'];
  return [
    ...violations,
    ...input.flatMap((item, at) => itemViolations(item, `input[${at}]`)),
    ...reasoningViolations(input),
    ...pairingViolations(input),
  ];
}

const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const IMAGE = /^(https?:\/\/|data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$)/;
const MAX_TOOLS = 128;

type Fields = Readonly<Record<string, unknown>>;

function toolViolations(tools: unknown): string[] {
  if (!Array.isArray(tools)) return ['tools: must be an array'];
  const violations = tools.length > MAX_TOOLS ? [`tools: at most ${MAX_TOOLS} are allowed, found ${tools.length}`] : [];
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const place = `tools[${at}]`;
    if (!isObject(tool)) violations.push(`${place}: must be an object`);
    else if (tool['type'] === 'function') {
      const { name, parameters, strict } = tool;
      if (!isName(name)) violations.push(`${place}.name: ${JSON.stringify(name)} does not match ${NAME.source}`);
      if (names.has(name)) violations.push(`${place}.name: tool names must be unique, "${name}" is used twice`);
      names.add(name);
      if (!isObject(parameters) || parameters['type'] !== 'object') {
        violations.push(`${place}.parameters: must be a schema of type "object"`);
      } else if (strict !== false) {
        // The default is true.
        violations.push(...strictViolations(parameters, `${place}.parameters`));
      }
    } else if (typeof tool['type'] !== 'string') violations.push(`${place}.type: is required`);
  }
  return violations;
}

/** In strict mode every object lists all of its properties as required and allows no others. */
function strictViolations(schema: unknown, place: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((inner, at) => strictViolations(inner, `${place}[${at}]`));
  if (!isObject(schema)) return [];
  const violations: string[] = [];
  const { properties, required = [], additionalProperties } = schema;
  if (schema['type'] === 'object' || isObject(properties)) {
    if (additionalProperties !== false) violations.push(`${place}: additionalProperties must be false when strict`);
    for (const name of Object.keys(isObject(properties) ? properties : {})) {
      const isRequired = Array.isArray(required) && required.includes(name);
      if (!isRequired) violations.push(`${place}: required must include every key when strict, missing "${name}"`);
    }
  }
  const { properties: _, enum: __, const: ___, default: ____, ...keywords } = schema;
  const inner = [...Object.entries(isObject(properties) ? properties : {}), ...Object.entries(keywords)];
  return [...violations, ...inner.flatMap(([name, value]) => strictViolations(value, `${place}.${name}`))];
}

function itemViolations(item: Fields, place: string): string[] {
  const { type = 'message', call_id, name } = item;
  switch (type) {
    case 'message':
      return messageViolations(item, place);
    case 'reasoning':
      return [
        ...idViolations(item, 'rs_', place),
        ...(Array.isArray(item['summary']) ? [] : [`${place}.summary: is required`]),
        ...(item['encrypted_content'] || hasParts(item['content'])
          ? []
          : [`${place}: Item with id '${item['id']}' not found. Items are not persisted when store is false`]),
      ];
    case 'function_call':
      return [
        ...(item['id'] === undefined ? [] : idViolations(item, 'fc_', place)),
        ...(isName(call_id) ? [] : [`${place}.call_id: must match ${NAME.source}`]),
        ...(isName(name) ? [] : [`${place}.name: must match ${NAME.source}`]),
        ...argumentsViolations(item['arguments'], `${place}.arguments`),
      ];
    case 'function_call_output':
      return [
        ...(isName(call_id) ? [] : [`${place}.call_id: must match ${NAME.source}`]),
        ...(typeof item['output'] === 'string' ? [] : partsViolations(item['output'], 'user', `${place}.output`)),
      ];
    case 'additional_tools':
      return toolViolations(item['tools']).map((violation) => `${place}.${violation}`);
    default:
      return typeof type === 'string' ? [] : [`${place}.type: must be a string`];
  }
}

/** The arguments are JSON inside JSON, whose strings count too. */
function argumentsViolations(json: unknown, place: string): string[] {
  if (typeof json !== 'string') return [`${place}: must be a string`];
  try {
    return malformedTexts(JSON.parse(json), place);
  } catch {
    return []; // the API accepts invalid JSON from the model
  }
}

function idViolations({ id }: Fields, prefix: string, place: string): string[] {
  const fits = typeof id === 'string' && id.startsWith(prefix) && id.length <= 64;
  return fits ? [] : [`${place}.id: must begin with '${prefix}' and have at most 64 characters`];
}

function messageViolations(item: Fields, place: string): string[] {
  const { id, role, content } = item;
  if (!['user', 'assistant', 'system', 'developer'].some((known) => known === role)) {
    return [`${place}.role: must be "user", "assistant", "system" or "developer"`];
  }
  const violations = id === undefined ? [] : idViolations(item, 'msg_', place);
  if (typeof content === 'string') return content === '' ? [...violations, `${place}.content: is empty`] : violations;
  return [...violations, ...partsViolations(content, role === 'assistant' ? role : 'user', `${place}.content`)];
}

const PARTS: Readonly<Record<'user' | 'assistant', readonly string[]>> = {
  user: ['input_text', 'input_image', 'input_file'],
  assistant: ['output_text', 'refusal'],
};

function partsViolations(parts: unknown, role: 'user' | 'assistant', place: string): string[] {
  if (!hasParts(parts)) return [`${place}: must be a text or a non-empty list of parts`];
  return parts.flatMap((part: unknown, at) => {
    const inner = `${place}[${at}]`;
    const { type, text, image_url } = isObject(part) ? part : {};
    if (!PARTS[role].some((known) => known === type)) {
      return [`${inner}.type: ${JSON.stringify(type)} is not one of ${PARTS[role].join(', ')}`];
    }
    if (/text$/.test(String(type)) && (typeof text !== 'string' || text === '')) return [`${inner}.text: is empty`];
    const isImage = type !== 'input_image' || (typeof image_url === 'string' && IMAGE.test(image_url));
    return isImage ? [] : [`${inner}.image_url: is not a valid image`];
  });
}

/** Reasoning comes right before the item that it led to: a call, or a message under its own id. */
function reasoningViolations(items: readonly Fields[]): string[] {
  return items.flatMap((item, at) => {
    if (item['type'] !== 'reasoning') return [];
    const { type = 'message', role, id } = items[at + 1] ?? { type: 'nothing' };
    const isAnswer = type === 'message' && role === 'assistant' && id !== undefined;
    const follows = isAnswer || !['nothing', 'message', 'function_call_output'].some((other) => other === type);
    return follows ? [] : [`Item '${item['id']}' of type 'reasoning' was provided without its required following item`];
  });
}

/** Every call is answered exactly once, after it. */
function pairingViolations(items: readonly Fields[]): string[] {
  const violations: string[] = [];
  const known = new Set<unknown>();
  const unanswered = new Set<unknown>();
  for (const { type, call_id } of items) {
    if (type === 'function_call_output') {
      if (!known.has(call_id)) violations.push(`No tool call found for function call output with call_id ${call_id}`);
      else if (!unanswered.delete(call_id)) violations.push(`Duplicate function call output with call_id ${call_id}`);
    } else if (typeof call_id === 'string') {
      if (known.has(call_id)) violations.push(`Duplicate call with call_id ${call_id}`);
      known.add(call_id);
      unanswered.add(call_id);
    }
  }
  return [...violations, ...[...unanswered].map((id) => `No tool output found for function call ${id}`)];
}

const isName = (value: unknown): boolean => typeof value === 'string' && NAME.test(value);

const hasParts = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
