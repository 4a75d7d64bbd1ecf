// Converts the return value of a callback to plain data: programs without types return objects of many classes.
import { inspect } from 'node:util';
import { decodeAnswer } from './decode-answer.js';
import { dataFields } from './plain-verdicts.js';
import { letters } from './walk-answer.js';

const MAX_DEPTH = 100; // objects of classes are not nested more deeply; deeper values are kept unchanged

/** Reads a value whose content is asynchronous: the body of a response. */
export async function settledValue(value: unknown): Promise<unknown> {
  if (!/^\[object (Response|Blob|File)\]$/.test(tagOf(value))) return value;
  return await (value as { text(): Promise<string> }).text(); // all of these have it
}

/** Why a value can't be read, to follow "its answer"; undefined if it can. */
export function whyUnreadable(value: unknown): string | undefined {
  if (typeof value === 'function') return 'is a function, which is not called; return the answer itself';
  if (typeof value !== 'object' || value === null || isContainer(value)) return undefined;
  if (Symbol.iterator in value || Symbol.asyncIterator in value) {
    return 'comes from a generator or a stream, which is not read; return the answer itself';
  }
  const hasFields = Object.keys(plainAnswer(value) as object).length > 0; // an object becomes an object
  return hasFields || tagOf(value) === '[object Object]' ? undefined : `is ${tagOf(value)}, which can't be read`;
}

const isContainer = (value: object): boolean =>
  Array.isArray(value) ||
  value instanceof Map ||
  value instanceof Set ||
  value instanceof ArrayBuffer ||
  ArrayBuffer.isView(value) ||
  value instanceof Error ||
  isBoxed(value);

const isBoxed = (value: object): boolean =>
  value instanceof String || value instanceof Boolean || value instanceof Number;

/** An instance of a class as a plain object, with its getters and inherited fields. Data is kept unchanged. */
export function plainAnswer(answer: unknown): unknown {
  const made = new Map<object, unknown>();
  const plain = (value: unknown, depth: number): unknown => {
    if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
    if (made.has(value)) return made.get(value);
    if (isBoxed(value)) return value.valueOf();
    if (ArrayBuffer.isView(value)) return decodeAnswer(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
    if (value instanceof ArrayBuffer) return decodeAnswer(Buffer.from(value));
    if (Array.isArray(value) || value instanceof Set) {
      const list: unknown[] = [];
      made.set(value, list);
      for (const each of value) list.push(plain(each, depth + 1));
      return list;
    }
    const fields: Record<string, unknown> = {};
    made.set(value, fields);
    for (const [field, inner] of value instanceof Map ? value : fieldsOf(value)) {
      if (typeof inner === 'function') continue;
      const name = String(field);
      // Not by assignment: "__proto__" must be an ordinary field.
      Object.defineProperty(fields, name, {
        value: dataFields.has(letters(name)) ? inner : plain(inner, depth + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return fields;
  };
  return plain(answer, 0);
}

function fieldsOf(value: object): Array<[string, unknown]> {
  const names = new Set<string>();
  for (
    let part: object | null = value;
    part !== null && part !== Object.prototype;
    part = Object.getPrototypeOf(part)
  ) {
    for (const name of Object.getOwnPropertyNames(part)) if (name !== 'constructor') names.add(name);
  }
  return [...names].map((name) => [name, Reflect.get(value, name)]);
}

export const tagOf = (value: unknown): string => Object.prototype.toString.call(value);

/** A value in the form in which messages show it. */
export function shown(value: unknown): string {
  const text = written(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

function written(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return inspect(value, { depth: 2 }); // it has cycles, or is nested too deeply
  }
}
