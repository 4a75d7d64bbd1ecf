import type { JsonSchema } from '../../contract/model.js';
import { lookUpReference } from '../../platform/json-pointer.js';

/**
 * The parts of JSON Schema that a provider does not support. What is dropped is still checked when the call arrives.
 */
export interface SchemaLimits {
  /**
   * Whether the provider should enforce the schema. That requires all objects to be closed and all properties to be
   * required: optional ones become nullable. A schema that can't be rewritten so is sent unchanged and not enforced.
   */
  strict: boolean;
  /** Inlines `$ref`s; recursive ones accept any value. */
  inlineRefs?: boolean;
  constAsEnum?: boolean;
  oneOfAsAnyOf?: boolean;
  /** Tuples become arrays whose items may have any of the tuple's types. */
  tuplesAsArrays?: boolean;
  /** Replaces `allOf` by one schema with the properties of all. */
  mergeAllOf?: boolean;
  /** Removes values from enumerations that are neither a text nor a number. */
  plainEnums?: boolean;
  /** Renames properties such as "-A", which some servers mangle. */
  plainNames?: boolean;
  /** Keywords to remove. */
  drop?: readonly string[];
}

/**
 * What Google documents for `parametersJsonSchema`. It also accepts `$ref`, but not with keywords beside it, and a
 * recursive one only in optional properties.
 * https://ai.google.dev/gemini-api/docs/structured-output
 */
export const geminiSchemas: SchemaLimits = {
  strict: false,
  inlineRefs: true,
  constAsEnum: true,
  oneOfAsAnyOf: true,
  tuplesAsArrays: true,
  mergeAllOf: true,
  plainEnums: true,
  plainNames: true,
  drop: (
    'allOf not if then else patternProperties propertyNames contains minContains maxContains dependentRequired ' +
    'dependentSchemas unevaluatedProperties unevaluatedItems additionalItems minLength maxLength pattern uniqueItems ' +
    'exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties default examples $comment deprecated ' +
    'readOnly writeOnly contentEncoding contentMediaType'
  ).split(' '),
};

/** A schema adapted to a provider, with the mapping between the provider's inputs and the tool's. */
export interface LevelledSchema {
  schema: JsonSchema;
  /** Whether the provider may be asked to enforce it. */
  strict: boolean;
  /** Whether some properties were renamed. */
  renames: boolean;
  /** Maps an input to the provider's names. */
  toWire(input: unknown): unknown;
  /** Maps an input to the tool's own names. Unknown names stay unchanged. */
  fromWire(input: unknown): unknown;
}

type Schema = Readonly<Record<string, unknown>>;

export function levelSchema(full: JsonSchema, limits: SchemaLimits): LevelledSchema {
  const simple = simplify(withoutDialect(full), { limits, root: full, left: { refs: MAX_REFS } }, []);
  const strict = limits.strict ? strictSchema(simple) : undefined;
  const schema = strict ?? simple;
  if (!limits.plainNames || !hasOddNames(schema)) {
    return { schema, strict: strict !== undefined, renames: false, toWire: same, fromWire: same };
  }
  return {
    schema: renamedSchema(schema),
    strict: strict !== undefined,
    renames: true,
    toWire: (input) => renamedInput(input, schema, 'to wire'),
    fromWire: (input) => renamedInput(input, schema, 'from wire'),
  };
}

const same = (input: unknown): unknown => input;

/** Providers assume a dialect, and some fail on these keywords. */
function withoutDialect({ $schema: _, $id: __, ...rest }: Schema): Schema {
  return rest;
}

// Keywords whose value is a schema, a list of schemas, or schemas by name.
const ONE = ['items', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else', 'contains'] as const;
const LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems', 'items'] as const;
const BY_NAME = ['properties', 'patternProperties', '$defs', 'definitions'] as const;

/** The schema with `change` applied to its inner schemas. */
function mapInner(schema: Schema, change: (inner: Schema) => Schema): Schema {
  const result: Record<string, unknown> = { ...schema };
  for (const name of ONE) {
    const inner = result[name];
    if (isSchema(inner)) result[name] = change(inner);
  }
  for (const name of LIST) {
    const inner = result[name];
    if (Array.isArray(inner)) result[name] = inner.map((item) => (isSchema(item) ? change(item) : item));
  }
  for (const name of BY_NAME) {
    const inner = result[name];
    if (isSchema(inner)) result[name] = mapValues(inner, (value) => (isSchema(value) ? change(value) : value));
  }
  return result;
}

const MAX_REFS = 1000; // inlined at most; a few that contain each other twice would otherwise exhaust memory

interface Simplifying {
  limits: SchemaLimits;
  root: Schema;
  left: { refs: number };
}

function simplify(schema: Schema, work: Simplifying, inside: readonly string[]): Schema {
  const { limits, root, left } = work;
  if (limits.mergeAllOf && Array.isArray(schema['allOf'])) return simplify(merged(schema, root), work, inside);
  const { $ref: ref, ...beside } = schema;
  if (!limits.inlineRefs || typeof ref !== 'string') {
    return mapInner(simplifyOne(schema, limits), (inner) => simplify(inner, work, inside));
  }
  // A recursive schema can't be inlined, and an external one can't be read: both accept any value.
  const target = inside.includes(ref) || left.refs === 0 ? undefined : lookUp(root, ref);
  if (!target) return simplifyOne(beside, limits);
  left.refs -= 1;
  return simplify({ ...target, ...beside }, work, [...inside, ref]);
}

/** One schema with the properties of all. Of other keywords, those of the schema itself win, then those of the first. */
function merged({ allOf, ...own }: Schema, root: Schema): Schema {
  const members = (Array.isArray(allOf) ? allOf : []).filter(isSchema).map((member) => resolved(member, root));
  const all = [...members.toReversed(), own];
  const properties = Object.assign({}, ...all.map(({ properties: named }) => (isSchema(named) ? named : {})));
  const required = [...members, own].flatMap((schema) => (Array.isArray(schema['required']) ? schema['required'] : []));
  return {
    ...Object.assign({}, ...all),
    ...(Object.keys(properties).length > 0 && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
  };
}

/** A member of `allOf` without `$ref` or `allOf` of its own; a reference is followed once. */
function resolved({ $ref: ref, ...beside }: Schema, root: Schema): Schema {
  const target = typeof ref === 'string' ? lookUp(root, ref) : undefined;
  const { $ref: _, allOf: __, ...schema } = { ...target, ...beside };
  return schema;
}

/** Not recursive. */
function simplifyOne(schema: Schema, limits: SchemaLimits): Schema {
  const result: Record<string, unknown> = { ...schema };
  for (const name of limits.drop ?? []) delete result[name];
  if (limits.inlineRefs) {
    delete result['$defs'];
    delete result['definitions'];
  }
  if (limits.constAsEnum && 'const' in result) {
    result['enum'] ??= [result['const']];
    delete result['const'];
  }
  if (limits.oneOfAsAnyOf && Array.isArray(result['oneOf']) && !('anyOf' in result)) {
    result['anyOf'] = result['oneOf'];
    delete result['oneOf'];
  }
  if (limits.plainEnums && Array.isArray(result['enum'])) {
    const plain = result['enum'].filter((value) => typeof value === 'string' || typeof value === 'number');
    if (plain.length > 0) result['enum'] = plain;
    else delete result['enum'];
  }
  const tuple = result['prefixItems'] ?? result['items'];
  if (limits.tuplesAsArrays && Array.isArray(tuple)) {
    const rest = result['prefixItems'] === undefined ? result['additionalItems'] : result['items'];
    const kinds = unique([...tuple, ...(isSchema(rest) ? [rest] : [])].filter(isSchema));
    delete result['prefixItems'];
    delete result['additionalItems'];
    result['items'] = kinds.length === 1 ? kinds[0] : { anyOf: kinds };
  }
  return result;
}

const unique = (schemas: readonly Schema[]): Schema[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
];

/** The target of a reference within the document. */
function lookUp(root: Schema, ref: string): Schema | undefined {
  const found = lookUpReference(root, ref);
  return isSchema(found) ? found : undefined;
}

// Keywords that strict mode does not support and that can be dropped: the tool's own check follows.
const DROPPED = new Set(
  (
    'default examples title format minLength maxLength pattern uniqueItems minimum maximum exclusiveMinimum ' +
    'exclusiveMaximum multipleOf minItems maxItems minProperties maxProperties $comment deprecated readOnly writeOnly ' +
    'propertyNames'
  ).split(' '),
);

// Keywords that strict mode can't express.
const IMPOSSIBLE = (
  'allOf oneOf not if then else patternProperties prefixItems contains dependentRequired dependentSchemas ' +
  'unevaluatedProperties unevaluatedItems'
).split(' ');

/** Undefined if strict mode can't express the schema, for example an object with arbitrary keys. */
function strictSchema(schema: Schema): Schema | undefined {
  let isPossible = true;
  const change = (inner: Schema): Schema => {
    if (IMPOSSIBLE.some((name) => name in inner)) isPossible = false;
    const kept = Object.fromEntries(Object.entries(inner).filter(([name]) => !DROPPED.has(name)));
    const changed = mapInner(kept, change);
    if (!describesObject(inner)) {
      if (Object.keys(withoutWords(inner)).length === 0) isPossible = false; // accepts any value
      return changed;
    }
    const { properties, additionalProperties, required } = inner;
    // Strict mode closes objects anyway; one with arbitrary keys can't be expressed.
    if (!isSchema(properties) || (additionalProperties !== undefined && additionalProperties !== false)) {
      isPossible = false;
    }
    const wanted = Array.isArray(required) ? required : [];
    const inners = isSchema(changed['properties']) ? changed['properties'] : {};
    return {
      ...changed,
      properties: Object.fromEntries(
        Object.entries(inners).map(([name, property]) => [
          name,
          wanted.includes(name) || !isSchema(property) ? property : nullable(property),
        ]),
      ),
      required: Object.keys(inners),
      additionalProperties: false,
    };
  };
  const result = change(schema);
  return isPossible ? result : undefined;
}

const withoutWords = ({ description: _, ...rest }: Schema): Schema => rest;

const describesObject = ({ type, properties }: Schema): boolean =>
  type === 'object' || (Array.isArray(type) && type.includes('object')) || (type === undefined && isSchema(properties));

function nullable(schema: Schema): Schema {
  const { type, enum: values, anyOf, description } = schema;
  const words = description === undefined ? {} : { description };
  if (Array.isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: 'null' }] };
  if (type === undefined || 'const' in schema) {
    return { anyOf: [withoutWords(schema), { type: 'null' }], ...words };
  }
  return {
    ...schema,
    type: [...new Set([type, 'null'].flat())],
    ...(Array.isArray(values) && { enum: [...new Set([...values, null])] }),
  };
}

const PLAIN_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function hasOddNames(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasOddNames);
  if (!isSchema(schema)) return false;
  const { properties } = schema;
  if (isSchema(properties) && Object.keys(properties).some((name) => !PLAIN_NAME.test(name))) return true;
  return Object.values(schema).some(hasOddNames);
}

/** The provider's name for each property that has to be renamed; names are unique. */
function plainNames(properties: Schema): ReadonlyMap<string, string> {
  const taken = new Set(Object.keys(properties));
  const names = new Map<string, string>();
  for (const name of Object.keys(properties)) {
    if (PLAIN_NAME.test(name)) continue;
    const words = name.replaceAll(/[^A-Za-z0-9_]+/g, '_').replace(/^_+/, '') || 'field';
    const base = name.startsWith('-') ? `flag_${words}` : /^\d/.test(words) ? `field_${words}` : words;
    let candidate = base;
    for (let number = 2; taken.has(candidate); number += 1) candidate = `${base}_${number}`;
    taken.add(candidate);
    names.set(name, candidate);
  }
  return names;
}

function renamedSchema(schema: Schema): Schema {
  const changed = mapInner(schema, renamedSchema);
  const { properties, required } = changed;
  if (!isSchema(properties)) return changed;
  const names = plainNames(properties);
  const rename = (name: unknown) => (typeof name === 'string' ? (names.get(name) ?? name) : name);
  return {
    ...changed,
    properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [rename(name), inner])),
    ...(Array.isArray(required) && { required: required.map(rename) }),
  };
}

const inverted = (names: ReadonlyMap<string, string>): ReadonlyMap<string, string> =>
  new Map([...names].map(([name, plain]) => [plain, name]));

/** Renames properties where the schema describes them unambiguously. A name that is already taken is left unchanged. */
function renamedInput(input: unknown, schema: unknown, direction: 'to wire' | 'from wire'): unknown {
  if (!isSchema(schema)) return input;
  if (Array.isArray(input)) return input.map((item) => renamedInput(item, schema['items'], direction));
  if (!isSchema(input)) return input;
  const properties = propertiesOf(schema);
  const plain = plainNames(properties);
  const names = direction === 'to wire' ? plain : inverted(plain);
  return Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      const other = names.get(name);
      const target = other === undefined || Object.hasOwn(input, other) ? name : other;
      const own = direction === 'to wire' ? name : target;
      return [target, renamedInput(value, properties[own], direction)];
    }),
  );
}

/** The properties of the object itself, or of the only alternative that describes an object. */
function propertiesOf(schema: Schema): Schema {
  if (isSchema(schema['properties'])) return schema['properties'];
  const alternatives = Array.isArray(schema['anyOf']) ? schema['anyOf'].filter(isSchema) : [];
  const objects = alternatives.filter(({ properties }) => isSchema(properties));
  const only = objects.length === 1 ? objects[0]?.['properties'] : undefined;
  return isSchema(only) ? only : {};
}

const mapValues = (object: Schema, change: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]));

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
