import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';

/**
 * Violations of the rules of the Chat Completions API, and of the stricter servers that imitate it, in words like
 * theirs. A loop whose requests pass here never loses a conversation to "400 invalid_request_error".
 */
export function chatViolations(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not a JSON object'];
  const { model, messages, tools, max_tokens, max_completion_tokens } = body;
  const violations: string[] = [];
  if (typeof model !== 'string' || model === '') violations.push('model: must be a non-empty string');
  for (const [name, limit] of Object.entries({ max_tokens, max_completion_tokens })) {
    if (limit !== undefined && (!Number.isInteger(limit) || Number(limit) < 1)) {
      violations.push(`${name}: must be a positive integer`);
    }
  }
  if (max_tokens !== undefined && max_completion_tokens !== undefined) {
    violations.push("max_tokens: can't be set together with max_completion_tokens");
  }
  violations.push(...(tools === undefined ? withoutToolsViolations(body) : toolViolations(tools)));
  if (!isWellFormed(body)) violations.push('the body holds half of a surrogate pair');

  if (!Array.isArray(messages) || messages.length === 0) return [...violations, 'messages: at least one is required'];
  violations.push(...messages.flatMap((message, at) => messageViolations(message, `messages.${at}`)));
  // Calls and results can be compared only if messages have the right shape.
  if (messages.every(isObject)) violations.push(...pairingViolations(messages));
  return violations;
}

const MAX_TOOLS = 128;
const MAX_ID_CHARS = 40;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;

type Fields = Readonly<Record<string, unknown>>;

function withoutToolsViolations(body: Fields): string[] {
  return ['tool_choice', 'parallel_tool_calls']
    .filter((name) => body[name] !== undefined)
    .map((name) => `${name}: is only allowed when tools are given`);
}

function toolViolations(tools: unknown): string[] {
  if (!Array.isArray(tools) || tools.length === 0) return ['tools: must be an array with at least one tool'];
  const violations = tools.length > MAX_TOOLS ? [`tools: at most ${MAX_TOOLS} are allowed, found ${tools.length}`] : [];
  const names = new Set<unknown>();
  for (const [at, tool] of tools.entries()) {
    const place = `tools.${at}`;
    if (!isObject(tool) || tool['type'] !== 'function' || !isObject(tool['function'])) {
      violations.push(`${place}: must be a function`);
      continue;
    }
    const { name, parameters, strict } = tool['function'];
    if (!isToolName(name)) violations.push(nameViolation(`${place}.function.name`, name));
    if (names.has(name)) violations.push(`${place}.function.name: "${name}" is used twice`);
    names.add(name);
    if (!isObject(parameters) || parameters['type'] !== 'object') {
      violations.push(`${place}.function.parameters.type: must be "object"`);
    } else if (strict === true) violations.push(...strictViolations(parameters, `${place}.function.parameters`));
  }
  return violations;
}

const isToolName = (name: unknown): boolean => typeof name === 'string' && TOOL_NAME.test(name);

const nameViolation = (place: string, name: unknown): string =>
  `${place}: ${JSON.stringify(name)} does not match ${TOOL_NAME.source}`;

/** In strict mode every object is closed and requires all of its properties. */
function strictViolations(schema: unknown, place: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((item, at) => strictViolations(item, `${place}.${at}`));
  if (!isObject(schema)) return [];
  const violations: string[] = [];
  const { properties, required, additionalProperties } = schema;
  if ([schema['type']].flat().includes('object')) {
    const names = isObject(properties) ? Object.keys(properties) : [];
    const wanted = Array.isArray(required) ? required : [];
    if (additionalProperties !== false) violations.push(`${place}: additionalProperties must be false`);
    const missing = names.filter((name) => !wanted.includes(name));
    if (missing.length > 0) violations.push(`${place}.required: lacks ${missing.join(', ')}`);
  }
  for (const [name, inner] of Object.entries(schema)) {
    const isMap = name === 'properties' || name === '$defs' || name === 'definitions';
    for (const [key, part] of isMap && isObject(inner) ? Object.entries(inner) : [['', inner] as const]) {
      violations.push(...strictViolations(part, [place, name, key].filter(Boolean).join('.')));
    }
  }
  return violations;
}

function messageViolations(message: unknown, place: string): string[] {
  if (!isObject(message)) return [`${place}: must be an object`];
  const { role, content, tool_calls, tool_call_id, name } = message;
  switch (role) {
    case 'system':
    case 'developer':
    case 'user':
      return contentViolations(content, place, role === 'user' ? ['text', 'image_url'] : ['text']);
    case 'assistant':
      if (tool_calls !== undefined) return callViolations(tool_calls, place);
      return contentViolations(content, place, ['text', 'thinking', 'refusal']);
    case 'tool':
      if (typeof tool_call_id !== 'string') return [`${place}.tool_call_id: must be a string`];
      if (name !== undefined && !isToolName(name)) return [nameViolation(`${place}.name`, name)];
      return contentViolations(content, place, ['text']);
    default:
      return [`${place}.role: must be "system", "developer", "user", "assistant" or "tool"`];
  }
}

function contentViolations(content: unknown, place: string, types: readonly string[]): string[] {
  if (typeof content === 'string') return content === '' ? [`${place}.content: must be non-empty`] : [];
  if (!Array.isArray(content) || content.length === 0) {
    return [`${place}.content: must be a non-empty string or array of parts`];
  }
  return content.flatMap((part: unknown, at) => {
    const type = isObject(part) ? part['type'] : undefined;
    if (typeof type === 'string' && types.includes(type)) return [];
    return [`${place}.content.${at}.type: must be one of ${types.join(', ')}`];
  });
}

function callViolations(calls: unknown, place: string): string[] {
  if (!Array.isArray(calls) || calls.length === 0) return [`${place}.tool_calls: must be a non-empty array`];
  return calls.flatMap((call: unknown, at) => {
    const inner = `${place}.tool_calls.${at}`;
    if (!isObject(call) || call['type'] !== 'function' || !isObject(call['function'])) {
      return [`${inner}: must be a function`];
    }
    const violations: string[] = [];
    const { name, arguments: text } = call['function'];
    const { id } = call;
    if (typeof id !== 'string' || id === '' || id.length > MAX_ID_CHARS) {
      violations.push(`${inner}.id: must be a string of 1 to ${MAX_ID_CHARS} characters`);
    }
    if (!isToolName(name)) violations.push(nameViolation(`${inner}.function.name`, name));
    if (typeof text !== 'string' || !isObject(parseJson(text))) {
      violations.push(`${inner}.function.arguments: must be the JSON text of an object`);
    }
    return violations;
  });
}

/** Every call is answered exactly once, by the `tool` messages right after it and before anything else. */
function pairingViolations(messages: readonly Fields[]): string[] {
  const violations: string[] = [];
  let unanswered = new Set<string>();
  let answered = new Set<string>();
  for (const [at, { role, tool_calls, tool_call_id }] of messages.entries()) {
    const place = `messages.${at}`;
    if (role === 'tool') {
      const id = String(tool_call_id);
      if (answered.has(id)) violations.push(`${place}: ${id} has more than one answer`);
      else if (!unanswered.delete(id)) {
        violations.push(`${place}: messages with role "tool" must follow a message with the tool_call ${id}`);
      }
      answered.add(id);
      continue;
    }
    if (unanswered.size > 0) violations.push(`${place}: comes before the answers to ${[...unanswered].join(', ')}`);
    const calls = role === 'assistant' && Array.isArray(tool_calls) ? tool_calls.filter(isObject) : [];
    const ids = calls.map(({ id }) => String(id));
    unanswered = new Set(ids);
    answered = new Set();
    if (unanswered.size < ids.length) violations.push(`${place}.tool_calls: ids must be unique`);
  }
  if (unanswered.size > 0) violations.push(`messages: the last one leaves ${[...unanswered].join(', ')} unanswered`);
  return violations;
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  return !isObject(value) || Object.entries(value).every(([name, field]) => name.isWellFormed() && isWellFormed(field));
}
