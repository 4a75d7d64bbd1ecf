import { matchAt, skipSpace } from './literal.js';
import { callWithParameters, type ParameterTags, readParameters } from './tagged-parameters.js';
import { callWithJson, type TaggedFormat, type WrittenCall } from './written-call.js';

const WRAPPER = '<tool_call>';
const WRAPPER_END = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const NAME = /<function=([\w.-]{1,64})>/y;

const tags: ParameterTags = {
  opening: '<parameter=',
  tag: /<parameter=([\w.-]{1,200})>/y,
  closing: '</parameter>',
  end: FUNCTION_END,
  onOwnLines: true,
};

/**
 * `<function=NAME><parameter=KEY>value</parameter></function>`, with or without `<tool_call>` around it: Qwen's coders.
 * Llama writes JSON between the tags.
 */
export const functionTags: TaggedFormat = {
  openings: [WRAPPER, FUNCTION],
  needsOwnLine: true,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    let at = text.startsWith(WRAPPER, start) ? skipSpace(text, start + WRAPPER.length) : start;
    while (text.startsWith(FUNCTION, at)) {
      const [tag, name] = matchAt(NAME, text, at) ?? [];
      if (tag === undefined || name === undefined || !tools.has(name)) return undefined;
      const inside = skipSpace(text, at + tag.length);
      if (text[inside] === '{') {
        const found = callWithJson(text, { name, from: at, start: inside, closing: FUNCTION_END, tools });
        if (!found) return undefined;
        calls.push(...found.calls);
        at = skipSpace(text, found.end);
        if (text.startsWith(FUNCTION_END, at)) at = skipSpace(text, at + FUNCTION_END.length);
      } else {
        const found = readParameters(text, inside, { tags, schema: tools.get(name) });
        if (!found) return undefined;
        const { end = text.length } = found;
        calls.push(callWithParameters(name, found, text.slice(at, end)));
        at = skipSpace(text, end);
      }
    }
    if (calls.length === 0) return undefined;
    return { calls, end: text.startsWith(WRAPPER_END, at) ? at + WRAPPER_END.length : at };
  },
};
