// Turns the schema that a server sends into one that every provider accepts and that can be used for validation. One
// bad schema would make every request fail, so invalid parts are removed, and a tool with an unusable schema is
// disabled.

import type { JsonSchema } from '../../contract/model.js';
import { sha256 } from '../../platform/crypto.js';
import { isObject } from '../../platform/is-object.js';
import { lookUpReference } from '../../platform/json-pointer.js';
import { plainText } from '../../platform/text/plain-text.js';

const MAX_SCHEMA_CHARS = 200_000; // per tool; many times the size of all built-in tools together
const MAX_DEPTH = 40;
const MAX_WORDS = 2_048; // per description
const PLAIN_NAME = /^[a-zA-Z0-9_.-]{1,64}$/; // what providers accept as a property name

type Schema = Readonly<Record<string, unknown>>;

export type RepairedSchema =
  | {
      schema: JsonSchema;
      /** A sentence for the tool's description, about constraints that the schema no longer expresses. */
      note?: string;
      /** The original names of renamed properties, by new name. */
      renamed: ReadonlyMap<string, string>;
    }
  /** Why the tool can't be used; continues "its input schema". */
  | { hopeless: string };

export function repairSchema(sent: unknown): RepairedSchema {
  if (sent === undefined || sent === null) return { schema: noInput, renamed: new Map() };
  if (!isObject(sent)) return { hopeless: 'is not an object' };
  const length = lengthOf(sent);
  if (length === undefined) return { hopeless: 'nests too deep' };
  if (length > MAX_SCHEMA_CHARS) return { hopeless: `has ${length} characters, more than ${MAX_SCHEMA_CHARS}` };
  const root = withReference(sent, sent);
  const clean = cleanSchema(root, { root: sent, depth: 0 });
  if (!isObject(clean)) return { hopeless: 'allows no input at all' };
  const flat = flatten(clean, sent);
  if ('hopeless' in flat) return flat;
  const type = flat.schema['type'];
  if (type !== undefined && ![type].flat().includes('object')) {
    return { hopeless: `asks for ${JSON.stringify(type)}, and the input of a tool is an object` };
  }
  const properties = isObject(flat.schema['properties']) ? flat.schema['properties'] : {};
  const renamed = newNames({ ...flat.schema, properties });
  const schema = rename({ ...flat.schema, type: 'object', properties }, renamed);
  return {
    schema,
    ...(flat.note !== undefined && { note: flat.note }),
    renamed: new Map([...renamed].map(([original, plain]) => [plain, original])),
  };
}

const noInput: JsonSchema = { type: 'object', properties: {} };

/** Maps an input back to the server's property names. */
export function withServerNames(input: unknown, renamed: ReadonlyMap<string, string>): unknown {
  if (renamed.size === 0) return input;
  if (Array.isArray(input)) return input.map((item) => withServerNames(item, renamed));
  if (!isObject(input)) return input;
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => [renamed.get(name) ?? name, withServerNames(value, renamed)]),
  );
}

function lengthOf(schema: Schema): number | undefined {
  try {
    return JSON.stringify(schema).length;
  } catch {
    return undefined;
  }
}

interface SchemaContext {
  root: Schema;
  depth: number;
}

/** Resolves a schema that is only a reference. */
function withReference(schema: Schema, root: Schema, hops = 0): Schema {
  const { $ref: ref, ...beside } = schema;
  if (typeof ref !== 'string') return schema;
  const target = hops > 10 ? undefined : lookUpReference(root, ref);
  return isObject(target) ? withReference({ ...target, ...beside }, root, hops + 1) : beside;
}

const types: Readonly<Record<string, string>> = {
  object: 'object',
  dict: 'object',
  array: 'array',
  list: 'array',
  string: 'string',
  str: 'string',
  number: 'number',
  float: 'number',
  double: 'number',
  integer: 'integer',
  int: 'integer',
  boolean: 'boolean',
  bool: 'boolean',
  null: 'null',
};

const isCount = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0;
const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value);
const isText = (value: unknown): boolean => typeof value === 'string';

/** Keywords that are copied if their value is valid. */
const plainKeywords: Readonly<Record<string, (value: unknown) => boolean>> = {
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  multipleOf: (value) => isNumber(value) && Number(value) > 0,
  uniqueItems: (value) => typeof value === 'boolean',
  format: isText,
  pattern: isPattern,
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  default: () => true,
  examples: Array.isArray,
};

const oneInner = ['additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains'] as const;
const listOfInner = ['anyOf', 'oneOf', 'allOf'] as const;
const innerByName = ['properties', 'patternProperties', '$defs', 'definitions'] as const;

/** Keeps only known, well-formed keywords, so the result is always a valid schema. True accepts any value. */
function cleanSchema(sent: unknown, { root, depth }: SchemaContext): Schema | boolean {
  if (typeof sent === 'boolean') return sent;
  if (!isObject(sent) || depth > MAX_DEPTH) return true;
  const inside = (value: unknown): Schema | boolean => cleanSchema(value, { root, depth: depth + 1 });
  const clean: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(sent)) {
    if (Object.hasOwn(plainKeywords, name) && plainKeywords[name]?.(value)) clean[name] = value;
  }
  removeHiddenText(clean);
  for (const name of ['title', 'description', '$comment']) {
    const value = sent[name];
    if (typeof value === 'string') clean[name] = plainText(value, MAX_WORDS);
  }
  Object.assign(clean, bounds(sent), typeOf(sent));
  for (const name of oneInner) if (isInner(sent[name])) clean[name] = inside(sent[name]);
  for (const name of listOfInner) {
    const list = sent[name];
    if (Array.isArray(list) && list.length > 0) clean[name] = list.map(inside);
  }
  for (const name of innerByName) {
    const inner = sent[name];
    if (!isObject(inner)) continue;
    const entries = Object.entries(inner).filter(([key]) => name !== 'patternProperties' || isPattern(key));
    clean[name] = Object.fromEntries(entries.map(([key, value]) => [key, inside(value)]));
  }
  Object.assign(clean, itemsOf(sent, inside));
  const { required, $ref: ref } = sent;
  if (Array.isArray(required)) clean['required'] = [...new Set(required.filter((name) => typeof name === 'string'))];
  // A dangling reference would invalidate the whole schema; without it, any value is accepted here.
  if (typeof ref === 'string' && isKept(root, ref)) clean['$ref'] = ref;
  return clean;
}

/**
 * Values can contain hidden text too. Those that would have to be sent exactly are removed, since the server validates
 * its input anyway.
 */
function removeHiddenText(clean: Record<string, unknown>): void {
  const hides = (value: unknown): boolean => {
    const text = JSON.stringify(value);
    return plainText(text, text.length * 10) !== text;
  };
  for (const name of ['default', 'const', 'examples']) if (name in clean && hides(clean[name])) delete clean[name];
  const { enum: choices } = clean;
  if (!Array.isArray(choices)) return;
  const plain = choices.filter((choice) => !hides(choice));
  if (plain.length > 0) clean['enum'] = plain;
  else delete clean['enum'];
}

const isInner = (value: unknown): boolean => typeof value === 'boolean' || isObject(value);

function isPattern(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  try {
    new RegExp(value, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Draft 4, in which `exclusiveMinimum` is a boolean. */
function bounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): Schema {
  return {
    ...(exclusiveMinimum === true && isNumber(minimum) && { exclusiveMinimum: minimum }),
    ...(exclusiveMaximum === true && isNumber(maximum) && { exclusiveMaximum: maximum }),
  };
}

function typeOf({ type, nullable }: Schema): Schema {
  const known = [...new Set([type].flat().flatMap((one) => (typeof one === 'string' ? (types[one] ?? []) : [])))];
  if (known.length === 0) return {};
  if (nullable === true && !known.includes('null')) known.push('null');
  return { type: known.length === 1 ? known[0] : known };
}

/** Rewrites the old form of tuples as `prefixItems`. */
function itemsOf({ items, prefixItems, additionalItems }: Schema, inside: (value: unknown) => unknown): Schema {
  const tuple = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : undefined;
  const rest = Array.isArray(items) ? additionalItems : items;
  return {
    ...(tuple && tuple.length > 0 && { prefixItems: tuple.map(inside) }),
    ...(isInner(rest) && { items: inside(rest) }),
  };
}

/** Whether a reference points to a schema that still exists after cleaning. */
function isKept(root: Schema, ref: string): boolean {
  return (ref === '#' || /^#\/(?:\$defs|definitions)\/[^/]+$/.test(ref)) && isInner(lookUpReference(root, ref));
}

type Flattened = { schema: Schema; note?: string } | { hopeless: string };

/**
 * No provider accepts alternatives at the top level. They are merged into one object, and a note says what it can't
 * express.
 */
function flatten(schema: Schema, root: Schema): Flattened {
  const { allOf, anyOf, oneOf, ...rest } = schema;
  const all = Array.isArray(allOf) ? allOf.map((part) => resolved(part, root)) : [];
  let merged: Schema = rest;
  for (const part of all) if (isObject(part)) merged = mergeAll(merged, withoutAlternatives(part));
  const notes: string[] = [];
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    const objects = alternatives
      .map((one) => resolved(one, root))
      .filter(isObject)
      .filter(mayBeObject);
    if (objects.length === 0) return { hopeless: 'has no alternative that is an object' };
    merged = mergeAny(merged, objects.map(withoutAlternatives));
    if (objects.length > 1) notes.push(alternativesInWords(objects));
  }
  return { schema: merged, ...(notes.length > 0 && { note: notes.join(' ') }) };
}

function resolved(part: unknown, root: Schema): unknown {
  if (!isObject(part)) return part;
  return typeof part['$ref'] === 'string' ? cleanSchema(withReference(part, root), { root, depth: 1 }) : part;
}

const mayBeObject = ({ type }: Schema): boolean => type === undefined || [type].flat().includes('object');

/** Nested alternatives are dropped: the server validates the input too. */
const withoutAlternatives = ({ allOf: _, anyOf: __, oneOf: ___, ...rest }: Schema): Schema => rest;

function mergeAll(one: Schema, other: Schema): Schema {
  const properties = { ...namedIn(one, 'properties') };
  for (const [name, inner] of Object.entries(namedIn(other, 'properties'))) {
    properties[name] = name in properties ? { allOf: [properties[name], inner] } : inner;
  }
  const required = [...new Set([...requiredIn(one), ...requiredIn(other)])];
  return { ...other, ...one, ...definitionsIn(one, other), properties, ...(required.length > 0 && { required }) };
}

function mergeAny(one: Schema, others: readonly Schema[]): Schema {
  const properties = { ...namedIn(one, 'properties') };
  for (const other of others) {
    for (const [name, inner] of Object.entries(namedIn(other, 'properties'))) {
      properties[name] = name in properties ? eitherOf(properties[name], inner) : inner;
    }
  }
  const always = requiredIn(others[0] ?? {}).filter((name) =>
    others.every((other) => requiredIn(other).includes(name)),
  );
  const required = [...new Set([...requiredIn(one), ...always])];
  // Closed alternatives would refuse each other's properties, and so would the merged object.
  const { additionalProperties: _, ...open } = one;
  return { ...open, ...definitionsIn(one, ...others), properties, ...(required.length > 0 && { required }) };
}

function eitherOf(one: unknown, other: unknown): unknown {
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  const known = isObject(one) && Array.isArray(one['anyOf']) && Object.keys(one).length === 1 ? one['anyOf'] : [one];
  return { anyOf: [...known, other] };
}

const namedIn = (schema: Schema, key: string): Schema => {
  const inner = schema[key];
  return isObject(inner) ? inner : {};
};

const requiredIn = ({ required }: Schema): string[] => (Array.isArray(required) ? required.map(String) : []);

function definitionsIn(...schemas: readonly Schema[]): Schema {
  const found: Record<string, unknown> = {};
  for (const key of ['$defs', 'definitions']) {
    const all = Object.assign({}, ...schemas.toReversed().map((schema) => namedIn(schema, key)));
    if (Object.keys(all).length > 0) found[key] = all;
  }
  return found;
}

function alternativesInWords(objects: readonly Schema[]): string {
  const sets = objects.map((object) => {
    const names = requiredIn(object).length > 0 ? requiredIn(object) : Object.keys(namedIn(object, 'properties'));
    return `(${names
      .slice(0, 12)
      .map((name) => plainText(name, 64))
      .join(', ')})`;
  });
  return `The input is one of several forms: give ${[...new Set(sets)].slice(0, 12).join(' or ')}.`;
}

/** A valid and unused name for each property whose name providers refuse. */
function newNames(schema: Schema): ReadonlyMap<string, string> {
  const names = new Set<string>();
  collectNames(schema, names);
  const renamed = new Map<string, string>();
  for (const name of names) {
    if (PLAIN_NAME.test(name)) continue;
    const hash = sha256().update(name).digest('hex').slice(0, 6);
    const words =
      name
        .replaceAll(/[^a-zA-Z0-9]+/g, '_')
        .replaceAll(/^_|_$/g, '')
        .slice(0, 40) || 'field';
    let candidate = `${words}_${hash}`;
    while (names.has(candidate)) candidate += '_';
    renamed.set(name, candidate);
  }
  return renamed;
}

function collectNames(schema: unknown, names: Set<string>): void {
  eachInner(schema, (inner) => collectNames(inner, names));
  if (isObject(schema)) for (const name of Object.keys(namedIn(schema, 'properties'))) names.add(name);
}

function rename(schema: Schema, names: ReadonlyMap<string, string>): Schema {
  if (names.size === 0) return schema;
  const renamed = mapInner(schema, (inner) => (isObject(inner) ? rename(inner, names) : inner));
  const { properties, required } = renamed;
  return {
    ...renamed,
    ...(isObject(properties) && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, inner]) => [names.get(name) ?? name, inner]),
      ),
    }),
    ...(Array.isArray(required) && { required: required.map((name) => names.get(String(name)) ?? name) }),
  };
}

function eachInner(schema: unknown, visit: (inner: unknown) => void): void {
  if (isObject(schema)) mapInner(schema, visit);
}

function mapInner(schema: Schema, change: (inner: unknown) => unknown): Schema {
  const result: Record<string, unknown> = { ...schema };
  for (const name of [...oneInner, 'items'] as const) if (name in schema) result[name] = change(schema[name]);
  for (const name of [...listOfInner, 'prefixItems'] as const) {
    const list = schema[name];
    if (Array.isArray(list)) result[name] = list.map(change);
  }
  for (const name of innerByName) {
    const inner = schema[name];
    if (!isObject(inner)) continue;
    result[name] = Object.fromEntries(Object.entries(inner).map(([key, value]) => [key, change(value)]));
  }
  return result;
}
