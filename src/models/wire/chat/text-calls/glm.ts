import { matchAt, readLiteral, skipSpace } from './literal.js';
import {
  incomplete,
  type MessageFormat,
  type OfferedTools,
  parameterValue,
  type TaggedFormat,
  type WrittenCalls,
} from './written-call.js';

const OPENING = '<tool_call>';
const CLOSING = '</tool_call>';
const NAME = /[\w.-]{1,64}/y;
const KEY = /<arg_key>([^<>]{1,200})<\/arg_key>\s{0,100}<arg_value>/y;
const VALUE_END = '</arg_value>';

/** GLM from 4.5 on: `<tool_call>NAME<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>`. */
export const glmTags: TaggedFormat = {
  openings: [OPENING],
  needsOwnLine: true,

  read(text, start, tools) {
    const from = skipSpace(text, start + OPENING.length);
    const [name] = matchAt(NAME, text, from) ?? [];
    if (name === undefined || !tools.has(name)) return undefined;
    return readArguments(text, { name, from, start: from + name.length }, tools);
  },
};

function readArguments(
  text: string,
  { name, from, start }: { name: string; from: number; start: number },
  tools: OfferedTools,
): WrittenCalls | undefined {
  const fields = new Map<string, unknown>();
  const call = (end: number, json: string): WrittenCalls['calls'] => [{ name, json, source: text.slice(from, end) }];
  const json = (): string => JSON.stringify(Object.fromEntries(fields));
  let at = skipSpace(text, start);
  while (!text.startsWith(CLOSING, at)) {
    const [tag, key] = matchAt(KEY, text, at) ?? [];
    if (tag === undefined || key === undefined) {
      const isCut = [CLOSING, '<arg_key>'].some((next) => next.startsWith(text.slice(at, at + next.length)));
      return isCut ? { calls: call(text.length, incomplete(json())), end: text.length } : undefined;
    }
    if (fields.has(key)) return undefined;
    const begin = at + tag.length;
    const end = endOfValue(text, begin);
    if (end === undefined) return { calls: call(text.length, incomplete(json())), end: text.length };
    fields.set(key, parameterValue(tools.get(name), key, text.slice(begin, end)));
    at = skipSpace(text, end + VALUE_END.length);
  }
  return { calls: call(at, json()), end: at + CLOSING.length };
}

/** A value may contain the closing tag, so another tag must follow it. */
function endOfValue(text: string, from: number): number | undefined {
  for (let at = text.indexOf(VALUE_END, from); at >= 0; at = text.indexOf(VALUE_END, at + VALUE_END.length)) {
    const next = skipSpace(text, at + VALUE_END.length);
    if (text.startsWith('<arg_key>', next) || text.startsWith(CLOSING, next)) return at;
  }
  return undefined;
}

const PLAIN = /^([\w.-]{1,64})[ \t]{0,20}\r?\n\s{0,20}(?=\{)/;

/** GLM-4: the name alone on the first line, and the arguments as JSON below it. */
export const glmMessage: MessageFormat = {
  mayBegin(text, tools) {
    if (PLAIN.test(text)) return tools.has(PLAIN.exec(text)?.[1] ?? '') ? 'yes' : 'no';
    const [, name = '', after = ''] = /^([\w.-]{0,64})(\s{0,40})$/.exec(text) ?? [];
    if (name === '') return 'no';
    if (after === '') return [...tools.keys()].some((tool) => tool.startsWith(name)) ? 'maybe' : 'no';
    return tools.has(name) ? 'maybe' : 'no';
  },

  read(message, tools) {
    const [head, name] = PLAIN.exec(message) ?? [];
    if (head === undefined || name === undefined || !tools.has(name)) return undefined;
    const read = readLiteral(message, head.length);
    if (read === 'cut') return [{ name, json: incomplete(message.slice(head.length)), source: message }];
    if (read === 'invalid' || read.end !== message.length) return undefined;
    return [{ name, json: JSON.stringify(read.value), source: message }];
  },
};
