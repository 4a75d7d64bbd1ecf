import { matchAt, readLiteral, skipSpace } from './literal.js';
import { brokenCall, callsIn, callWithJson, type TaggedFormat, type WrittenCall } from './written-call.js';

const OPENING = '[TOOL_CALLS]';
const HEAD = /\s{0,20}([\w.-]{1,64})(?:\[CALL_ID\]\w{1,64})?(?:\[ARGS\])?\s{0,20}(?=\{)/y;

/** Mistral: `[TOOL_CALLS][{"name": …, "arguments": {…}}]`, later `[TOOL_CALLS]NAME{…}` or `[TOOL_CALLS]NAME[ARGS]{…}`. */
export const mistral: TaggedFormat = {
  openings: [OPENING],
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = start;
    while (text.startsWith(OPENING, at)) {
      const from = skipSpace(text, at + OPENING.length);
      if (text[from] === '[' || text[from] === '{') {
        const read = readLiteral(text, from);
        if (typeof read === 'string') {
          const call = brokenCall(text.slice(from), tools, read === 'cut');
          return call && { calls: [...calls, call], end: text.length };
        }
        const found = callsIn(read.value, text.slice(from, read.end));
        if (!found) return undefined;
        calls.push(...found);
        at = skipSpace(text, read.end);
        continue;
      }
      const [head, name] = matchAt(HEAD, text, from) ?? [];
      if (head === undefined || name === undefined) break;
      const found = callWithJson(text, { name, from, start: from + head.length, closing: OPENING, tools });
      if (!found) return undefined;
      calls.push(...found.calls);
      at = skipSpace(text, found.end);
    }
    return calls.length > 0 ? { calls, end: at } : undefined;
  },
};
