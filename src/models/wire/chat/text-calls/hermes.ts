import { readLiteral, skipSpace } from './literal.js';
import { brokenCall, callsIn, type TaggedFormat, type WrittenCall } from './written-call.js';

export const OPENING = '<tool_call>';
export const CLOSING = '</tool_call>';

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`: Hermes, Qwen and many models that were trained like them. */
export const hermes: TaggedFormat = {
  openings: [OPENING],
  needsOwnLine: true,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = skipSpace(text, start + OPENING.length);
    while (text.startsWith(OPENING, at)) at = skipSpace(text, at + OPENING.length); // some models repeat it
    if (text[at] !== '{' && text[at] !== '[') return undefined;
    while (text[at] === '{' || text[at] === '[') {
      const read = readLiteral(text, at, CLOSING);
      if (typeof read === 'string') {
        const closing = read === 'cut' ? -1 : text.indexOf(CLOSING, at);
        const end = closing < 0 ? text.length : closing;
        const call = brokenCall(text.slice(at, end), tools, closing < 0);
        if (!call) return undefined;
        calls.push(call);
        at = end;
      } else {
        const found = callsIn(read.value, text.slice(at, read.end));
        if (!found) return undefined;
        calls.push(...found);
        at = skipSurplus(text, read.end);
      }
    }
    // The last tag may be missing: it is the token that ends the answer.
    const end = text.startsWith(CLOSING, at) ? at + CLOSING.length : at;
    return { calls, end };
  },
};

/** Past the space after a value, and past closing braces that belong to nothing. */
function skipSurplus(text: string, start: number): number {
  let at = skipSpace(text, start);
  const after = at;
  while (text[at] === '}') at = skipSpace(text, at + 1);
  return text.startsWith(CLOSING, at) ? at : after;
}
