import { closesFence, FENCE_LENGTH, fenceAt } from './fence.js';
import { matchAt, readLiteral, skipSpace } from './literal.js';
import {
  callsIn,
  incomplete,
  type MessageFormat,
  type OfferedTools,
  type TaggedFormat,
  type WrittenCall,
  type WrittenCalls,
} from './written-call.js';

const HEAD = /((?:[A-Za-z_]|\\_)(?:[\w.-]|\\_){0,63})\s{0,20}\(/y;
const KEYWORD = /((?:[A-Za-z_]|\\_)(?:\w|\\_){0,199})\s{0,20}=/y;

/** Mistral's models escape underscores as in Markdown. No name contains a backslash, so this can mean only one thing. */
const unescaped = (name: string): string => name.replaceAll('\\_', '_');

/**
 * A list of calls in Python's notation, which Llama writes: `[first(a=1, b="x"), second()]`, perhaps in a code block.
 * Without the brackets, it must not be in a code block, which would be an example, and needs at least one argument.
 */
export const pythonicMessage: MessageFormat = {
  mayBegin(text, tools) {
    const [, written = '', open] = /^\[?\s{0,20}((?:[\w.-]|\\_){0,64})(\s{0,20}\()?/.exec(text) ?? [];
    const name = unescaped(written);
    if (name === '' && !text.startsWith('[')) return 'no';
    if (open !== undefined) return tools.has(name) ? 'yes' : 'no';
    if (!/^\[?\s{0,20}(?:[\w.-]|\\_){0,64}(?:\\|\s{0,20})$/.test(text)) return 'no';
    return [...tools.keys()].some((tool) => tool.startsWith(name)) ? 'maybe' : 'no';
  },

  read(message, tools) {
    const fence = fenceAt(message, 0);
    const isList = message[fence.length] === '[';
    if (!isList && fence !== '') return undefined;
    const found = isList ? readCallList(message, fence.length, tools) : readCalls(message, 0, tools);
    if (!found || (!isList && found.calls.every(({ json }) => ['{}', '{'].includes(json)))) return undefined;
    const after = skipSpace(message, found.end);
    // Some models close a block that they did not open.
    const end = closesFence(message, after) ? after + FENCE_LENGTH : after;
    return end === message.length ? found.calls : undefined;
  },
};

const PYTHON_TAG = '<|python_tag|>';

/** Llama from 3.1 on: `<|python_tag|>` with JSON or a list of calls after it. */
export const pythonTag: TaggedFormat = {
  openings: [PYTHON_TAG],
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = skipSpace(text, start + PYTHON_TAG.length);
    if (text[at] === '[') return readCallList(text, at, tools);
    while (text[at] === '{') {
      const read = readLiteral(text, at);
      const found = typeof read === 'object' ? callsIn(read.value, text.slice(at, read.end)) : undefined;
      if (typeof read !== 'object' || !found) return undefined;
      calls.push(...found);
      at = skipSpace(text, read.end);
      if (text[at] === ';') at = skipSpace(text, at + 1);
    }
    return calls.length > 0 ? { calls, end: at } : undefined;
  },
};

function readCallList(text: string, start: number, tools: OfferedTools): WrittenCalls | undefined {
  const found = readCalls(text, start + 1, tools);
  if (!found || found.end >= text.length) return found;
  return text[found.end] === ']' ? { ...found, end: found.end + 1 } : undefined;
}

/** Calls with commas, semicolons or line breaks between them. The last one may be cut. */
function readCalls(text: string, start: number, tools: OfferedTools): WrittenCalls | undefined {
  const calls: WrittenCall[] = [];
  let at = skipSpace(text, start);
  for (;;) {
    const [head, written] = matchAt(HEAD, text, at) ?? [];
    const name = unescaped(written ?? '');
    if (head === undefined || !tools.has(name)) break;
    const found = readKeywords(text, at + head.length);
    if (!found) return undefined;
    const json = JSON.stringify(Object.fromEntries(found.fields));
    const end = found.end ?? text.length;
    calls.push({ name, json: found.end === undefined ? incomplete(json) : json, source: text.slice(at, end) });
    at = skipSpace(text, end);
    if (text[at] === ',' || text[at] === ';') at = skipSpace(text, at + 1);
  }
  return calls.length > 0 ? { calls, end: at } : undefined;
}

/** The arguments up to the bracket after them, all by keyword; without an end if the text ends before that. */
function readKeywords(text: string, start: number): { fields: ReadonlyMap<string, unknown>; end?: number } | undefined {
  const fields = new Map<string, unknown>();
  let at = skipSpace(text, start);
  while (text[at] !== ')') {
    if (at >= text.length) return { fields };
    const [head, name] = matchAt(KEYWORD, text, at) ?? [];
    if (head === undefined || name === undefined)
      return /^[\w\\]*$/.test(text.slice(at, at + 200)) ? { fields } : undefined;
    const read = readLiteral(text, at + head.length);
    if (read === 'cut') return { fields };
    if (read === 'invalid' || fields.has(unescaped(name))) return undefined;
    fields.set(unescaped(name), read.value);
    at = skipSpace(text, read.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ')' && at < text.length) return undefined;
  }
  return { fields, end: at + 1 };
}
