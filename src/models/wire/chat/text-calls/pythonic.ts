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

const HEAD = /([A-Za-z_][\w.-]{0,63})\s{0,20}\(/y;
const KEYWORD = /([A-Za-z_]\w{0,199})\s{0,20}=/y;

/** A list of calls in Python's notation, which Llama writes: `[first(a=1, b="x"), second()]`, perhaps in a code block. */
export const pythonicMessage: MessageFormat = {
  mayBegin(text, tools) {
    const [, name, open] = /^\[\s{0,20}([\w.-]{0,64})(\s{0,20}\()?/.exec(text) ?? [];
    if (name === undefined) return 'no';
    if (open !== undefined) return tools.has(name) ? 'yes' : 'no';
    if (!/^\[\s{0,20}[\w.-]{0,64}\s{0,20}$/.test(text)) return 'no';
    return [...tools.keys()].some((tool) => tool.startsWith(name)) ? 'maybe' : 'no';
  },

  read(message, tools) {
    const fence = fenceAt(message, 0);
    if (message[fence.length] !== '[') return undefined;
    const found = readCallList(message, fence.length, tools);
    const after = found && skipSpace(message, found.end);
    const end = after !== undefined && fence !== '' && closesFence(message, after) ? after + FENCE_LENGTH : after;
    return end === message.length ? found?.calls : undefined;
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
  const calls: WrittenCall[] = [];
  let at = skipSpace(text, start + 1);
  while (text[at] !== ']') {
    if (at >= text.length) return calls.length > 0 ? { calls, end: text.length } : undefined;
    const [head, name] = matchAt(HEAD, text, at) ?? [];
    if (head === undefined || name === undefined || !tools.has(name)) return undefined;
    const found = readKeywords(text, at + head.length);
    if (!found) return undefined;
    const json = JSON.stringify(Object.fromEntries(found.fields));
    const end = found.end ?? text.length;
    calls.push({ name, json: found.end === undefined ? incomplete(json) : json, source: text.slice(at, end) });
    at = skipSpace(text, end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ']' && at < text.length) return undefined;
  }
  return calls.length > 0 ? { calls, end: at + 1 } : undefined;
}

/** The arguments up to the bracket after them, all by keyword; without an end if the text ends before that. */
function readKeywords(text: string, start: number): { fields: ReadonlyMap<string, unknown>; end?: number } | undefined {
  const fields = new Map<string, unknown>();
  let at = skipSpace(text, start);
  while (text[at] !== ')') {
    if (at >= text.length) return { fields };
    const [head, name] = matchAt(KEYWORD, text, at) ?? [];
    if (head === undefined || name === undefined)
      return /^\w*$/.test(text.slice(at, at + 200)) ? { fields } : undefined;
    const read = readLiteral(text, at + head.length);
    if (read === 'cut') return { fields };
    if (read === 'invalid' || fields.has(name)) return undefined;
    fields.set(name, read.value);
    at = skipSpace(text, read.end);
    if (text[at] === ',') at = skipSpace(text, at + 1);
    else if (text[at] !== ')' && at < text.length) return undefined;
  }
  return { fields, end: at + 1 };
}
