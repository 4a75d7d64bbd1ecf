import { closesFence, FENCE_LENGTH, fenceAt } from './fence.js';
import { readLiteral, skipSpace } from './literal.js';
import { brokenCall, callsIn, type MessageFormat, type WrittenCall } from './written-call.js';

/** A message that is nothing but `{"name": …, "arguments": {…}}`, a list of them, or one of both in each of its code blocks. */
export const jsonMessage: MessageFormat = {
  mayBegin(text) {
    const [, key] = /^\[?\s{0,20}\{\s{0,20}["'](\w{0,20})/.exec(text) ?? [];
    if (key === undefined) return /^(?:\[|\[?\s{0,20}\{)\s{0,20}$/.test(text) ? 'maybe' : 'no';
    if (KEYS.includes(key)) return 'yes';
    return text.endsWith(key) && KEYS.some((known) => known.startsWith(key)) ? 'maybe' : 'no';
  },

  read(message, tools) {
    const calls: WrittenCall[] = [];
    let at = 0;
    while (at < message.length) {
      const fence = fenceAt(message, at);
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
        if (!closesFence(message, at)) return undefined;
        at = skipSpace(message, at + FENCE_LENGTH);
      }
    }
    return calls;
  },
};

const KEYS = ['name', 'function', 'type', 'id', 'arguments', 'parameters', 'params', 'tool_calls'];
