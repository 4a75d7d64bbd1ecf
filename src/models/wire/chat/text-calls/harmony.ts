import { matchAt, skipSpace } from './literal.js';
import { callWithJson, type TaggedFormat, type WrittenCall } from './written-call.js';

const HEAD =
  /(?:<\|start\|>assistant)?(?: to=functions\.([\w.-]{1,64}))?<\|channel\|>(?:commentary|analysis)(?: to=functions\.([\w.-]{1,64}))?\s{0,20}(?:<\|constrain\|>)?\s{0,20}(?:json)?\s{0,20}<\|message\|>/y;
const END = '<|call|>';

/** Harmony, the format of gpt-oss: `<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}<|call|>`. */
export const harmony: TaggedFormat = {
  openings: [
    '<|channel|>commentary to=functions.',
    '<|channel|>analysis to=functions.',
    '<|start|>assistant<|channel|>commentary to=functions.',
    '<|start|>assistant<|channel|>analysis to=functions.',
    '<|start|>assistant to=functions.',
  ],
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = start;
    for (;;) {
      const [head, before, after] = matchAt(HEAD, text, at) ?? [];
      const name = before ?? after;
      if (head === undefined || name === undefined) break;
      const found = callWithJson(text, { name, from: at, start: at + head.length, closing: END, tools });
      if (!found) return undefined;
      calls.push(...found.calls);
      at = skipSpace(text, found.end);
      if (text.startsWith(END, at)) at = skipSpace(text, at + END.length);
    }
    return calls.length > 0 ? { calls, end: at } : undefined;
  },
};
