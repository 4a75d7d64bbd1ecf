import { readLiteral, skipSpace } from './literal.js';
import { brokenCall, callsIn, type TaggedFormat, type WrittenCall } from './written-call.js';

export const OPENING = '<tool_call>';
export const CLOSING = '</tool_call>';
const TAGS = { [OPENING]: CLOSING, '<function_call>': '</function_call>' };

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen and many models that were trained like them. Granite has another tag. */
export const hermes: TaggedFormat = {
  openings: Object.keys(TAGS),
  needsOwnLine: true,

  read(text, start, tools) {
    const [opening, closing] = Object.entries(TAGS).find(([tag]) => text.startsWith(tag, start)) ?? [OPENING, CLOSING];
    const calls: WrittenCall[] = [];
    let at = skipSpace(text, start + opening.length);
    while (text.startsWith(opening, at)) at = skipSpace(text, at + opening.length); // some models repeat it
    if (text[at] !== '{' && text[at] !== '[') return undefined;
    while (text[at] === '{' || text[at] === '[') {
      const read = readLiteral(text, at, closing);
      if (typeof read === 'string') {
        const found = read === 'cut' ? -1 : text.indexOf(closing, at);
        const end = found < 0 ? text.length : found;
        const call = brokenCall(text.slice(at, end), tools, found < 0);
        if (!call) return undefined;
        calls.push(call);
        at = end;
      } else {
        const found = callsIn(read.value, text.slice(at, read.end));
        if (!found) return undefined;
        calls.push(...found);
        at = skipSurplus(text, read.end, closing);
      }
    }
    // The last tag may be missing: it is the token that ends the answer.
    const end = text.startsWith(closing, at) ? at + closing.length : at;
    return { calls, end };
  },
};

/** Past the space after a value, and past closing braces that belong to nothing. */
function skipSurplus(text: string, start: number, closing: string): number {
  let at = skipSpace(text, start);
  const after = at;
  while (text[at] === '}') at = skipSpace(text, at + 1);
  return text.startsWith(closing, at) ? at : after;
}
