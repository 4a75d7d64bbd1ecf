import type { JsonSchema } from '../../../../contract/model.js';
import { isObject } from '../../../../platform/is-object.js';
import { parseJson } from '../../../../platform/parse-json.js';
import { ArgumentText } from '../argument-text.js';
import { readLiteral, skipSpace } from './literal.js';

/** A call that a model wrote as text. */
export interface WrittenCall {
  name: string;
  /** The arguments. Incomplete if the text ended inside them, and as they were written if they are not valid. */
  json: string;
  /** The part of the text that makes it a call, without tags around it. */
  source: string;
}

/** Calls that follow each other in the text, and where they end. */
export interface WrittenCalls {
  calls: readonly WrittenCall[];
  end: number;
}

/** The tools of the request, with the schemas that the model was given. */
export type OfferedTools = ReadonlyMap<string, JsonSchema>;

/** A format whose calls have a tag before them. */
export interface TaggedFormat {
  /** Each of them may begin a call. */
  openings: readonly string[];
  /** Whether the opening must be the first text of its line, since it may occur in prose. */
  needsOwnLine: boolean;
  /** Reads the calls at `start`, where one of the openings is. Undefined if they are not in this format. */
  read(text: string, start: number, tools: OfferedTools): WrittenCalls | undefined;
}

/** A format without tags: a call only if it is the whole message. */
export interface MessageFormat {
  /** Whether a message, or a code block in it, that begins with this text may be a call. Once it is `no` or `yes`, more text changes nothing. */
  mayBegin(text: string, tools: OfferedTools): 'no' | 'maybe' | 'yes';
  /** Reads the message, which has no space around it. */
  read(message: string, tools: OfferedTools): readonly WrittenCall[] | undefined;
}

/** The call that an object describes: a name and arguments, and nothing that a call does not have. */
function callIn(value: unknown, source: string, needsInput: boolean): WrittenCall | undefined {
  if (!isObject(value)) return undefined;
  const { type, id, function: called, name: plainName, arguments: plain, parameters, params, ...rest } = value;
  if (Object.keys(rest).length > 0 || (type !== undefined && type !== 'function')) return undefined;
  if (id !== undefined && typeof id !== 'string') return undefined;
  const inputs = [plain, parameters, params].filter((each) => each !== undefined);
  if (isObject(called)) {
    const isAlone = plainName === undefined && inputs.length === 0;
    return isAlone ? callIn(called, source, needsInput) : undefined;
  }
  const name = plainName ?? called;
  if (typeof name !== 'string' || (plainName !== undefined && called !== undefined)) return undefined;
  if (inputs.length > 1) return undefined;
  const [input] = inputs;
  if (needsInput && input === undefined) return undefined;
  if (typeof input === 'string') return { name, json: input, source }; // encoded twice
  return { name, json: JSON.stringify(input ?? {}), source };
}

/** The calls of a list of objects, of `{"tool_calls": […]}`, or of one object; undefined if one of them is not a call. */
export function callsIn(value: unknown, source: string, { needsInput = false } = {}): WrittenCall[] | undefined {
  const list = isObject(value) && Object.keys(value).length === 1 ? (value['tool_calls'] ?? value) : value;
  if (!Array.isArray(list)) {
    const call = callIn(list, source, needsInput);
    return call && [call];
  }
  const calls = list.map((item) => callIn(item, source, needsInput)).filter((call) => call !== undefined);
  return calls.length > 0 && calls.length === list.length ? calls : undefined;
}

/**
 * A call whose text is not valid, so that the model can be told. Undefined if it names no tool that was offered. With
 * `isCut`, the text ended inside it.
 */
export function brokenCall(body: string, tools: OfferedTools, isCut: boolean): WrittenCall | undefined {
  const [, name = ''] = /["']name["']\s{0,20}:\s{0,20}["']([\w.-]{1,64})["']/.exec(body) ?? [];
  if (!tools.has(name)) return undefined;
  const [key = ''] = /["'](?:arguments|parameters|params)["']\s{0,20}:\s{0,20}/.exec(body) ?? [];
  const written = key === '' ? body : body.slice(body.indexOf(key) + key.length);
  const json = isCut ? incomplete(key === '' ? '' : written) : withoutLastBrace(written);
  return isUsable(json) ? undefined : { name, json, source: body };
}

/** Whether the parser would accept it after all, as with a key that occurs twice: then it is no call, since it is unclear. */
function isUsable(json: string): boolean {
  const text = new ArgumentText();
  return parseJson(text.push(json) + text.finish()) !== undefined;
}

/** The object without its end, so that nothing takes it for complete. */
export function incomplete(json: string): string {
  const begun = json.trim();
  return begun.startsWith('{') ? withoutLastBrace(begun) : '{';
}

function withoutLastBrace(json: string): string {
  const text = json.trim();
  return text.endsWith('}') ? text.slice(0, -1) : text;
}

/** A call whose name begins at `from`, and its arguments as JSON at `start`, with `closing` after them. */
export function callWithJson(
  text: string,
  { name, from, start, closing, tools }: NameAndJson & { tools: OfferedTools },
): WrittenCalls | undefined {
  if (!tools.has(name)) return undefined;
  const read = readLiteral(text, start, closing);
  if (typeof read === 'object') {
    if (!isObject(read.value)) return undefined;
    return { calls: [{ name, json: JSON.stringify(read.value), source: text.slice(from, read.end) }], end: read.end };
  }
  const tag = read === 'cut' ? -1 : text.indexOf(closing, start);
  if (tag < 0 && read === 'invalid') return undefined;
  const end = tag < 0 ? text.length : tag;
  const written = text.slice(start, end);
  const json = tag < 0 ? incomplete(written) : written.trim();
  if (isUsable(json)) return undefined;
  return { calls: [{ name, json, source: text.slice(from, end) }], end };
}

interface NameAndJson {
  name: string;
  from: number;
  start: number;
  closing: string;
}

/** A value that was written as plain text, in the type that the tool's schema has for it. */
export function parameterValue(schema: JsonSchema | undefined, key: string, text: string): unknown {
  const properties = schema?.['properties'];
  const property = isObject(properties) ? properties[key] : undefined;
  if (!isObject(property) || takesText(property)) return text;
  const read = readLiteral(text, 0);
  return typeof read === 'object' && skipSpace(text, read.end) === text.length ? read.value : text;
}

/** Whether a text is valid there. Anything unclear counts as a text; later, it is converted if that loses nothing. */
function takesText(property: Readonly<Record<string, unknown>>): boolean {
  const { type, anyOf, oneOf, enum: values } = property;
  if (Array.isArray(values)) return values.some((value) => typeof value === 'string');
  if (typeof type === 'string') return type === 'string';
  if (Array.isArray(type)) return type.includes('string');
  const shapes = Array.isArray(anyOf) ? anyOf : oneOf;
  return Array.isArray(shapes) ? shapes.some((shape) => !isObject(shape) || takesText(shape)) : true;
}
