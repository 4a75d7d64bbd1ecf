// Step 4 of the path, corrections: inputs that mean the right thing in the wrong type, as many models send them.

import type { JsonSchema } from '../contract/model.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';

/**
 * Converts values to the types that the schema requires, if that loses and adds nothing: "5" for 5, "true" for true, one
 * value for a list of one, JSON inside a string, null for a field that may be absent. Values of an accepted type stay.
 * Does not validate the result.
 */
export function coerceInput(schema: JsonSchema, input: unknown): unknown {
  return coerce(input, schema, schema);
}

type Schema = Readonly<Record<string, unknown>>;

function coerce(value: unknown, schema: unknown, root: Schema): unknown {
  const shapes = shapesOf(schema, root);
  const types = new Set(shapes.flatMap(typesOf));
  if (types.size === 0) return value; // it accepts anything, or uses keywords that this code does not know
  const converted = fits(value, types) ? value : convert(value, types, shapes);
  if (Array.isArray(converted)) {
    const items = onlyOne(shapes, (shape) => (isObject(shape['items']) ? shape['items'] : undefined));
    return items
      ? sameOr(
          converted,
          converted.map((item) => coerce(item, items, root)),
        )
      : converted;
  }
  return isObject(converted) ? coerceFields(converted, shapes, root) : converted;
}

function coerceFields(value: Schema, shapes: readonly Schema[], root: Schema): Schema {
  const shape = onlyOne(shapes, (each) => (isObject(each['properties']) ? each : undefined));
  const properties = shape?.['properties'];
  if (!isObject(properties)) return value;
  const required = Array.isArray(shape?.['required']) ? shape['required'] : [];
  let changed = false;
  const entries = Object.entries(value).flatMap(([name, field]): Array<[string, unknown]> => {
    if (!Object.hasOwn(properties, name)) return [[name, field]];
    const property = properties[name];
    if (field === null && !required.includes(name) && refusesNull(property, root)) {
      changed = true;
      return [];
    }
    const coerced = coerce(field, property, root);
    changed ||= coerced !== field;
    return [[name, coerced]];
  });
  return changed ? Object.fromEntries(entries) : value;
}

function refusesNull(schema: unknown, root: Schema): boolean {
  const types = new Set(shapesOf(schema, root).flatMap(typesOf));
  return types.size > 0 && !types.has('null');
}

function convert(value: unknown, types: ReadonlySet<string>, shapes: readonly Schema[]): unknown {
  const mayBeList = types.has('array');
  // Any value can be the one item of a list, so if a list is one of several types, the value is ambiguous.
  if (mayBeList && [...types].some((type) => type !== 'array' && type !== 'null')) return value;
  if (typeof value === 'string') {
    const fromText = convertText(value, types);
    if (fromText !== undefined) return fromText;
    if (value.trim() === '') return value; // it means an empty list at least as often as a list with an empty item
  }
  const lists = shapes.filter((shape) => typesOf(shape).includes('array'));
  return lists.length === 1 && value !== null ? [value] : value;
}

/** Undefined if the text is not a value of one of the types. */
function convertText(text: string, types: ReadonlySet<string>): unknown {
  const trimmed = text.trim();
  if (types.has('number') || types.has('integer')) {
    const number = exactNumber(trimmed);
    if (number !== undefined && fits(number, types)) return number;
  }
  if (types.has('boolean') && /^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (types.has('object') || types.has('array')) {
    const parsed = parseJson(trimmed);
    if (typeof parsed === 'object' && parsed !== null && fits(parsed, types)) return parsed;
  }
  return undefined;
}

const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Undefined if the text is no number, or has more digits or a larger exponent than a number can represent. */
function exactNumber(text: string): number | undefined {
  const number = Number(text);
  const isExact = NUMBER.test(text) && canonical(text) === canonical(String(number));
  return isExact && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : undefined;
}

/** The same text for the same number, however it is written: its digits without zeros at either end, and its exponent. */
function canonical(text: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+/, '');
  const significant = digits.replace(/(?<!0)0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

const MAX_HOPS = 20; // from reference to reference

/** The schema, or the alternatives that it consists of. */
function shapesOf(schema: unknown, root: Schema, hops = 0): Schema[] {
  if (!isObject(schema) || hops > MAX_HOPS) return [];
  const { $ref: ref } = schema;
  if (typeof ref === 'string') return shapesOf(lookUp(root, ref), root, hops + 1);
  const alternatives = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(alternatives)) return [schema];
  const shapes = alternatives.map((alternative) => shapesOf(alternative, root, hops + 1));
  // An alternative with unknown keywords may accept anything, so the types of the whole are unknown.
  return shapes.some((each) => each.length === 0 || each.some((shape) => typesOf(shape).length === 0))
    ? []
    : shapes.flat();
}

function lookUp(root: Schema, ref: string): unknown {
  if (ref === '#') return root;
  if (!ref.startsWith('#/')) return undefined;
  return ref
    .slice(2)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((inner, part) => (isObject(inner) && Object.hasOwn(inner, part) ? inner[part] : undefined), root);
}

function typesOf({ type, enum: values, const: only, properties }: Schema): string[] {
  if (type !== undefined) return [type].flat().filter((name) => typeof name === 'string');
  if (Array.isArray(values)) return values.map(typeName);
  if (only !== undefined) return [typeName(only)];
  return isObject(properties) ? ['object'] : [];
}

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function fits(value: unknown, types: ReadonlySet<string>): boolean {
  if (typeof value === 'number') {
    return Number.isFinite(value) && (types.has('number') || (types.has('integer') && Number.isInteger(value)));
  }
  return types.has(typeName(value));
}

/** The value of the only shape that has one; undefined if several have one, since it could be either. */
function onlyOne<Value>(shapes: readonly Schema[], pick: (shape: Schema) => Value | undefined): Value | undefined {
  const found = shapes.map(pick).filter((value) => value !== undefined);
  return found.length === 1 ? found[0] : undefined;
}

const sameOr = (before: readonly unknown[], after: readonly unknown[]): readonly unknown[] =>
  after.every((item, at) => item === before[at]) ? before : after;
