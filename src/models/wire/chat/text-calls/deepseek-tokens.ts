import { matchAt, skipSpace } from './literal.js';
import { callWithJson, type TaggedFormat, type WrittenCall } from './written-call.js';

const SECTION = '<｜tool▁calls▁begin｜>';
const SECTION_END = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
// V3 and R1 write the type before the name, and a fence around the arguments.
const HEAD = /(?:<｜tool▁call▁begin｜>)?(?:function<｜tool▁sep｜>)?([\w.-]{1,64})(?:<｜tool▁sep｜>|\s*```json\s*)/y;

/** DeepSeek V3, V3.1 and R1: `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{…}<｜tool▁call▁end｜>…`. */
export const deepSeekTokens: TaggedFormat = {
  openings: [SECTION, CALL],
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = skipSpace(text, text.startsWith(SECTION, start) ? start + SECTION.length : start);
    while (at < text.length && !text.startsWith(SECTION_END, at)) {
      const [head, name] = matchAt(HEAD, text, at) ?? [];
      if (head === undefined || name === undefined) break;
      const found = callWithJson(text, { name, from: at, start: at + head.length, closing: CALL_END, tools });
      if (!found) return undefined;
      calls.push(...found.calls);
      at = skipSpace(text, found.end);
      if (text.startsWith('```', at)) at = skipSpace(text, at + 3);
      if (text.startsWith(CALL_END, at)) at = skipSpace(text, at + CALL_END.length);
    }
    if (calls.length === 0) return undefined;
    return { calls, end: text.startsWith(SECTION_END, at) ? at + SECTION_END.length : at };
  },
};
