import { matchAt, readLiteral, skipSpace } from './literal.js';
import { brokenCall, callsIn, type MessageFormat, type WrittenCall } from './written-call.js';

const FENCE = '```';
const LANGUAGE = /```(?:json|tool_call|tool_code|xml)?[ \t]{0,20}\r?\n\s{0,20}(?=[[{])/y;

/** A message that is nothing but `{"name": …, "arguments": {…}}`, a list of them, or one of both in a code fence. */
export const jsonMessage: MessageFormat = {
  mayBegin(text) {
    if (/^\s{0,100}(?:\{\s{0,20}["']|\[\s{0,20}\{)/.test(text)) {
      const [, key] = /^\s{0,100}\[?\s{0,20}\{\s{0,20}["'](\w{0,20})/.exec(text) ?? [];
      const isOpen = key !== undefined && text.endsWith(key);
      if (KEYS.some((known) => known === key)) return 'yes';
      return isOpen && KEYS.some((known) => known.startsWith(key)) ? 'maybe' : isListOnly(text) ? 'maybe' : 'no';
    }
    if (/^(?:\{\s{0,20}|\[\s{0,20})$/.test(text)) return 'maybe';
    const fence = /^```[a-z_]{0,10}[ \t]{0,20}(?:\r?\n\s{0,20})?/.exec(text);
    if (!fence) return FENCE.startsWith(text) ? 'maybe' : 'no';
    const inside = text.slice(fence[0].length);
    if (inside === '') return 'maybe';
    return fence[0].includes('\n') ? jsonMessage.mayBegin(inside, new Map()) : 'no';
  },

  read(message, tools) {
    const calls: WrittenCall[] = [];
    let at = 0;
    while (at < message.length) {
      const [fence = ''] = matchAt(LANGUAGE, message, at) ?? [];
      at += fence.length;
      const read = readLiteral(message, at);
      if (read === 'invalid') return undefined;
      if (read === 'cut') {
        const call = brokenCall(message.slice(at), tools, true);
        return call && [...calls, call];
      }
      const found = callsIn(read.value, message.slice(at, read.end), { needsInput: true });
      if (!found) return undefined;
      calls.push(...found);
      at = skipSpace(message, read.end);
      if (fence !== '') {
        if (!message.startsWith(FENCE, at)) return undefined;
        at = skipSpace(message, at + FENCE.length);
      }
    }
    return calls;
  },
};

const KEYS = ['name', 'function', 'type', 'id', 'arguments', 'parameters'];

const isListOnly = (text: string): boolean => /^\[\s{0,20}\{\s{0,20}$/.test(text);
