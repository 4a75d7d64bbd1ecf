import { matchAt, skipSpace } from './literal.js';
import { callWithParameters, type ParameterTags, readParameters } from './tagged-parameters.js';
import type { TaggedFormat, WrittenCall } from './written-call.js';

const OPENINGS = ['<｜DSML｜function_calls>', '<｜DSML｜tool_calls>'];
const CLOSING = /<\/｜DSML｜(?:function|tool)_calls>/y;
const INVOKE = '<｜DSML｜invoke';
const NAME = /<｜DSML｜invoke name="([\w.-]{1,64})">/y;

const tags: ParameterTags = {
  opening: '<｜DSML｜parameter',
  tag: /<｜DSML｜parameter name="([^"<>]{1,200})"(?: string="(true|false)")?>/y,
  closing: '</｜DSML｜parameter>',
  end: '</｜DSML｜invoke>',
  onOwnLines: false,
};

/** DeepSeek from V3.2 on: `<｜DSML｜invoke name="…">` with one tag for each parameter. */
export const dsml: TaggedFormat = {
  openings: OPENINGS,
  needsOwnLine: false,

  read(text, start, tools) {
    const calls: WrittenCall[] = [];
    const opening = OPENINGS.find((tag) => text.startsWith(tag, start)) ?? '';
    let at = skipSpace(text, start + opening.length);
    while (text.startsWith(INVOKE, at)) {
      const [tag, name] = matchAt(NAME, text, at) ?? [];
      if (tag === undefined || name === undefined || !tools.has(name)) return undefined;
      const found = readParameters(text, at + tag.length, { tags, schema: tools.get(name) });
      if (!found) return undefined;
      const { end = text.length } = found;
      calls.push(callWithParameters(name, found, text.slice(at, end)));
      at = skipSpace(text, end);
    }
    const [closing = ''] = matchAt(CLOSING, text, at) ?? [];
    return calls.length > 0 ? { calls, end: at + closing.length } : undefined;
  },
};
