// Checks the form of a JSON Schema at once. The full check compiles the schema, which loads a library and is asynchronous.
import { shown } from '../compose/option-kinds.js';
import { isObject } from '../platform/is-object.js';

const TYPES = ['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'];

const SCHEMA_KEYS = [
  ...['additionalProperties', 'propertyNames', 'additionalItems', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['contains', 'not', 'if', 'then', 'else'],
];
const SCHEMA_LIST_KEYS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SCHEMA_MAP_KEYS = ['properties', 'patternProperties', 'definitions', '$defs', 'dependentSchemas'];
const COUNT_KEYS = [
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'],
  ...['minContains', 'maxContains'],
];
const TEXT_KEYS = ['title', 'description', 'format', '$ref', '$schema', '$comment'];

/** What is wrong with a schema, with the path of the keyword; undefined if the form is valid. */
export function jsonSchemaFormProblem(schema: unknown): string | undefined {
  return schemaProblem(schema, '', new Set());
}

/** `seen`: a schema that contains itself is checked once. */
function schemaProblem(schema: unknown, path: string, seen: Set<unknown>): string | undefined {
  if (typeof schema === 'boolean' && path !== '') return undefined;
  if (!isObject(schema)) return wrong(path || 'it', 'an object', schema);
  if (seen.has(schema)) return undefined;
  seen.add(schema);
  for (const [key, value] of Object.entries(schema)) {
    const problem =
      value === undefined ? undefined : keywordProblem(key, value, path === '' ? key : `${path}.${key}`, seen);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function keywordProblem(key: string, value: unknown, path: string, seen: Set<unknown>): string | undefined {
  if (key === 'type') return typeProblem(value, path);
  if (key === 'required') {
    const isList = Array.isArray(value) && value.every((name) => typeof name === 'string');
    return isList ? undefined : wrong(path, 'a list of strings', value);
  }
  if (key === 'enum') return Array.isArray(value) ? undefined : wrong(path, 'a list', value);
  if (key === 'pattern') return isPattern(value) ? undefined : wrong(path, 'a regular expression', value);
  if (COUNT_KEYS.includes(key)) {
    return Number.isInteger(value) && Number(value) >= 0
      ? undefined
      : wrong(path, 'a whole number of at least 0', value);
  }
  if (TEXT_KEYS.includes(key)) return typeof value === 'string' ? undefined : wrong(path, 'a string', value);
  if (SCHEMA_KEYS.includes(key)) return schemaProblem(value, path, seen);
  if (key === 'items') return Array.isArray(value) ? listProblem(value, path, seen) : schemaProblem(value, path, seen);
  if (SCHEMA_LIST_KEYS.includes(key)) {
    return Array.isArray(value) && value.length > 0
      ? listProblem(value, path, seen)
      : wrong(path, 'a list of schemas', value);
  }
  if (!SCHEMA_MAP_KEYS.includes(key)) return undefined;
  if (!isObject(value)) return wrong(path, 'an object of schemas', value);
  return first(Object.entries(value), ([name, each]) => schemaProblem(each, `${path}.${name}`, seen));
}

function typeProblem(value: unknown, path: string): string | undefined {
  const types: readonly unknown[] = Array.isArray(value) ? value : [value];
  const unknown = types.length === 0 ? [value] : types.filter((type) => !TYPES.some((known) => known === type));
  return unknown.length === 0 ? undefined : wrong(path, `one of ${TYPES.join(', ')}`, unknown[0]);
}

const listProblem = (schemas: readonly unknown[], path: string, seen: Set<unknown>): string | undefined =>
  first([...schemas.entries()], ([index, schema]) => schemaProblem(schema, `${path}[${index}]`, seen));

function first<Entry>(entries: readonly Entry[], check: (entry: Entry) => string | undefined): string | undefined {
  for (const entry of entries) {
    const problem = check(entry);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** With the flag u, as the standard says, or without, as many schemas are written. */
function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return ['u', ''].some((flags) => {
    try {
      return new RegExp(value, flags) instanceof RegExp;
    } catch {
      return false;
    }
  });
}

const wrong = (path: string, expected: string, value: unknown): string =>
  `${path} must be ${expected}, but was ${shown(value)}`;
