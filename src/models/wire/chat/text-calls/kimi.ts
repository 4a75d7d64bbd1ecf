import { matchAt, skipSpace } from './literal.js';
import { callWithJson, type TaggedFormat, type WrittenCall } from './written-call.js';

const SECTIONS = ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>'];
const SECTION_END = /<\|tool_calls?_section_end\|>/y;
const CALL = '<|tool_call_begin|>';
const CALL_END = '<|tool_call_end|>';
const HEAD =
  /<\|tool_call_begin\|>\s{0,20}(?:functions\.)?([\w.-]{1,64})(?::\d{1,6})?\s{0,20}<\|tool_call_argument_begin\|>/y;

/** Kimi: `<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>` in a section. */
export const kimi: TaggedFormat = {
  openings: [...SECTIONS, CALL],
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    const section = SECTIONS.find((tag) => text.startsWith(tag, start)) ?? '';
    let at = skipSpace(text, start + section.length);
    while (text.startsWith(CALL, at)) {
      const [head, name] = matchAt(HEAD, text, at) ?? [];
      if (head === undefined || name === undefined) return undefined;
      const found = callWithJson(text, {
        name,
        from: at + CALL.length,
        start: at + head.length,
        closing: CALL_END,
        tools,
      });
      if (!found) return undefined;
      calls.push(...found.calls);
      at = skipSpace(text, found.end);
      if (text.startsWith(CALL_END, at)) at = skipSpace(text, at + CALL_END.length);
    }
    const [end = ''] = matchAt(SECTION_END, text, at) ?? [];
    return calls.length > 0 ? { calls, end: at + end.length } : undefined;
  },
};
