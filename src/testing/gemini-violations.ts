import { isObject } from '../platform/is-object.js';
import { malformedTexts } from './malformed-texts.js';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Violations of the rules of Google's Gemini API, in words like the API's own, for a model that requires signatures
 * (Gemini 3) and reads images in function responses.
 */
export function geminiViolations(body: unknown): string[] {
  if (!isObject(body)) return ['the body is not a JSON object'];
  const { contents, tools = [], systemInstruction, generationConfig = {} } = body;
  const violations = [
    ...unknownFields(body, BODY_FIELDS, 'body'),
    ...malformedTexts(body),
    ...toolViolations(tools),
    ...(systemInstruction === undefined ? [] : systemViolations(systemInstruction)),
    ...configViolations(generationConfig),
  ];
  if (!Array.isArray(contents) || contents.length === 0) return [...violations, 'contents is not specified'];
  const shapes = contents.flatMap((content, at) => contentViolations(content, `contents[${at}]`));
  if (shapes.length > 0) return [...violations, ...shapes]; // turns can be compared only if all have the right shape
  const turns = contents as Turn[]; // just checked
  return [...violations, ...pairingViolations(turns), ...signatureViolations(turns)];
}

interface Turn {
  role: 'user' | 'model';
  parts: Fields[];
}

const BODY_FIELDS = ['contents', 'tools', 'toolConfig', 'systemInstruction', 'generationConfig', 'safetySettings'];
const NAME = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/;
const DATA_FIELDS = ['text', 'inlineData', 'functionCall', 'functionResponse', 'executableCode', 'codeExecutionResult'];
const PART_FIELDS = [...DATA_FIELDS, 'thought', 'thoughtSignature'];
const MEDIA = /^(image\/(png|jpeg|webp|heic|heif)|application\/pdf|text\/plain)$/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;
const SCHEMA_WORDS =
  '$id $defs $ref $anchor type format title description enum items prefixItems minItems maxItems minimum maximum ' +
  'anyOf oneOf properties additionalProperties required propertyOrdering';
const SCHEMA_FIELDS = SCHEMA_WORDS.split(' ');

/** The API refuses every request with a field that it does not know. */
const unknownFields = (value: Fields, known: readonly string[], place: string): string[] =>
  Object.keys(value)
    .filter((name) => !known.includes(name))
    .map((name) => `Unknown name "${name}" at '${place}': Cannot find field.`);

function toolViolations(tools: unknown): string[] {
  if (!Array.isArray(tools)) return ['tools: must be an array'];
  const declarations: unknown[] = tools.flatMap((tool: unknown) =>
    isObject(tool) && Array.isArray(tool['functionDeclarations']) ? tool['functionDeclarations'] : [tool],
  );
  const names = new Set<unknown>();
  return declarations.flatMap((declaration, at) => {
    const place = `tools[0].function_declarations[${at}]`;
    if (!isObject(declaration)) return [`${place}: must be an object`];
    const { name, parametersJsonSchema: schema } = declaration;
    const violations = unknownFields(declaration, ['name', 'description', 'parametersJsonSchema'], place);
    if (typeof name !== 'string' || !NAME.test(name)) violations.push(`${place}.name: Invalid function name`);
    if (names.has(name)) violations.push(`${place}.name: Duplicate function declaration found: ${name}`);
    names.add(name);
    if (schema === undefined) return violations;
    if (!isObject(schema) || schema['type'] !== 'object')
      violations.push(`${place}.parameters: must be of type object`);
    return [...violations, ...schemaViolations(schema, `${place}.parameters`)];
  });
}

function schemaViolations(schema: unknown, place: string): string[] {
  if (!isObject(schema)) return typeof schema === 'boolean' ? [] : [`${place}: must be a schema`];
  const { properties, items, additionalProperties, anyOf, enum: values = [] } = schema;
  const named = isObject(properties) ? Object.entries(properties) : [];
  const isPlain = (value: unknown) => typeof value === 'string' || typeof value === 'number';
  return [
    ...unknownFields(schema, SCHEMA_FIELDS, place),
    ...(Array.isArray(values) && values.every(isPlain) ? [] : [`${place}.enum: must hold texts and numbers`]),
    ...named.filter(([name]) => !/^[a-zA-Z_]\w{0,63}$/.test(name)).map(([name]) => `${place}: invalid name "${name}"`),
    ...named.flatMap(([name, inner]) => schemaViolations(inner, `${place}.properties.${name}`)),
    ...(items === undefined ? [] : schemaViolations(items, `${place}.items`)),
    ...(additionalProperties === undefined ? [] : schemaViolations(additionalProperties, `${place}.additional`)),
    ...(Array.isArray(anyOf) ? anyOf.flatMap((inner, at) => schemaViolations(inner, `${place}.anyOf[${at}]`)) : []),
  ];
}

function systemViolations(value: unknown): string[] {
  const parts = isObject(value) && Array.isArray(value['parts']) ? value['parts'] : [];
  const isText = (part: unknown) => isObject(part) && typeof part['text'] === 'string' && part['text'] !== '';
  return parts.length > 0 && parts.every(isText) ? [] : ['systemInstruction: must have parts of text'];
}

function configViolations(config: unknown): string[] {
  if (!isObject(config)) return ['generationConfig: must be an object'];
  const { maxOutputTokens, thinkingConfig = {} } = config;
  const violations: string[] = [];
  if (maxOutputTokens !== undefined && !(Number(maxOutputTokens) > 0)) {
    violations.push('maxOutputTokens: must be positive');
  }
  if (!isObject(thinkingConfig)) return [...violations, 'thinkingConfig: must be an object'];
  if ('thinkingLevel' in thinkingConfig && 'thinkingBudget' in thinkingConfig) {
    violations.push('You can only set only one of thinking budget and thinking level.');
  }
  return [...violations, ...unknownFields(thinkingConfig, THINKING_FIELDS, 'thinkingConfig')];
}

const THINKING_FIELDS = ['includeThoughts', 'thinkingLevel', 'thinkingBudget'];

function contentViolations(content: unknown, place: string): string[] {
  if (!isObject(content)) return [`${place}: must be an object`];
  const { role, parts } = content;
  if (role !== 'user' && role !== 'model') return ['Please use a valid role: user, model.'];
  if (!Array.isArray(parts) || parts.length === 0) return [`${place}.parts: must not be empty`];
  return parts.flatMap((part: unknown, at) => partViolations(part, role, `${place}.parts[${at}]`));
}

function partViolations(part: unknown, role: string, place: string): string[] {
  if (!isObject(part)) return [`${place}: must be an object`];
  const violations = unknownFields(part, PART_FIELDS, place);
  const { thoughtSignature: signature, functionCall, functionResponse, text } = part;
  if (DATA_FIELDS.filter((name) => name in part).length !== 1)
    violations.push(`${place}.data: exactly one is required`);
  if (text === '' && signature === undefined) violations.push(`${place}.text: must not be empty`);
  if (signature !== undefined && (typeof signature !== 'string' || !BASE64.test(signature))) {
    violations.push(`${place}.thought_signature: Base64 decoding failed`);
  }
  if (part['inlineData'] !== undefined) violations.push(...mediaViolations(part['inlineData'], place));
  if (functionCall !== undefined) {
    if (role !== 'model') violations.push(`${place}: function calls belong to the model`);
    const { name, args } = isObject(functionCall) ? functionCall : {};
    if (!NAME.test(String(name))) violations.push(`${place}.function_call.name: is invalid`);
    if (!isObject(args)) violations.push(`${place}.function_call.args: must be an object`);
  }
  if (functionResponse !== undefined) {
    if (role !== 'user') violations.push(`${place}: function responses belong to the user`);
    const { name, response, parts = [] } = isObject(functionResponse) ? functionResponse : {};
    if (!NAME.test(String(name))) violations.push(`${place}.function_response.name: is invalid`);
    if (!isObject(response)) violations.push(`${place}.function_response.response: must be an object`);
    for (const inner of Array.isArray(parts) ? parts : []) {
      violations.push(...mediaViolations(isObject(inner) ? inner['inlineData'] : inner, `${place}.function_response`));
    }
  }
  return violations;
}

function mediaViolations(media: unknown, place: string): string[] {
  const { mimeType, data } = isObject(media) ? media : {};
  if (!MEDIA.test(String(mimeType))) return [`${place}: Unsupported MIME type: ${String(mimeType)}`];
  return typeof data === 'string' && BASE64.test(data) ? [] : [`${place}.inline_data.data: Base64 decoding failed`];
}

/** The calls of a turn are answered in the very next one, each once, in their order. */
function pairingViolations(turns: readonly Turn[]): string[] {
  const ids = ({ parts }: Turn, field: string): string[] =>
    parts.flatMap((part) =>
      isObject(part[field]) ? [`${String(part[field]['id'])} ${String(part[field]['name'])}`] : [],
    );
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    const asked = before ? ids(before, 'functionCall') : [];
    const answered = ids(turn, 'functionResponse');
    const isLast = at === turns.length - 1;
    const violations: string[] = [];
    if (asked.join() !== answered.join()) {
      violations.push(
        'Please ensure that the number of function response parts is equal to the number of function call parts of ' +
          `the function call turn: [${asked.join()}], [${answered.join()}]`,
      );
    }
    if (isLast && ids(turn, 'functionCall').length > 0) violations.push('the last function calls have no responses');
    if (at === 0 && turn.role !== 'user') violations.push('the first content must have the role user');
    return violations;
  });
}

/** The first call of each step carries a signature; those that follow in the same turn need none. */
function signatureViolations(turns: readonly Turn[]): string[] {
  return turns.flatMap(({ parts }, at) => {
    const first = parts.find((part) => 'functionCall' in part);
    if (!first || first['thoughtSignature']) return [];
    return [`Function call is missing a thought_signature in functionCall parts, contents[${at}]`];
  });
}
