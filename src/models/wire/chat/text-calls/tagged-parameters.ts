import type { JsonSchema } from '../../../../contract/model.js';
import { matchAt, readLiteral, skipSpace } from './literal.js';
import { incomplete, parameterValue, type WrittenCall } from './written-call.js';

const MAX_TAG = 300;

/** How parameters are written, one after another, each between two tags. */
export interface ParameterTags {
  /** What a parameter begins with. */
  opening: string;
  /** Matches the opening tag. Its first group is the name; the second, if any, says whether the value is a text. */
  tag: RegExp;
  closing: string;
  /** What follows the last parameter. */
  end: string;
  /** Whether the value stands on lines of its own. */
  onOwnLines: boolean;
}

/** Parameters, and where they end; without an end if the text ends before that. */
export interface WrittenParameters {
  fields: ReadonlyArray<[string, unknown]>;
  end?: number;
}

/** Reads parameters up to the tag that follows the last one. Undefined if there is anything else between them. */
export function readParameters(
  text: string,
  start: number,
  { tags, schema }: { tags: ParameterTags; schema: JsonSchema | undefined },
): WrittenParameters | undefined {
  const fields: Array<[string, unknown]> = [];
  const names = new Set<string>();
  let at = skipSpace(text, start);
  while (!text.startsWith(tags.end, at)) {
    const [tag, name, isText] = matchAt(tags.tag, text, at) ?? [];
    if (tag === undefined || name === undefined) {
      const isCut = [tags.opening, tags.end].some(
        (next) => next.startsWith(text.slice(at)) || isOpenTag(text, at, next),
      );
      return isCut ? { fields } : undefined;
    }
    if (names.has(name)) return undefined; // a value that has such tags in it, or two values: it is unclear which
    names.add(name);
    const from = at + tag.length;
    const to = endOfValue(text, from, tags);
    if (to === undefined) return { fields };
    fields.push([name, readValue(text.slice(from, to), { name, isText, tags, schema })]);
    at = skipSpace(text, to + tags.closing.length);
  }
  return { fields, end: at + tags.end.length };
}

/** Whether the text ends inside this tag. */
const isOpenTag = (text: string, at: number, opening: string): boolean =>
  text.startsWith(opening, at) && text.length - at < MAX_TAG && !text.includes('>', at);

/** A closing tag counts if another tag follows it, since a value may contain such a tag. Undefined if there is none. */
function endOfValue(text: string, from: number, { closing, opening, end }: ParameterTags): number | undefined {
  for (let at = text.indexOf(closing, from); at >= 0; at = text.indexOf(closing, at + closing.length)) {
    const next = skipSpace(text, at + closing.length);
    if (text.startsWith(opening, next) || text.startsWith(end, next)) return at;
  }
  return undefined;
}

interface Parameter {
  name: string;
  isText: string | undefined;
  tags: ParameterTags;
  schema: JsonSchema | undefined;
}

function readValue(written: string, { name, isText, tags, schema }: Parameter): unknown {
  const text = tags.onOwnLines ? written.replace(/^\r?\n/, '').replace(/\r?\n$/, '') : written;
  if (isText === 'true') return text;
  if (isText === 'false') {
    const read = readLiteral(text, 0);
    return typeof read === 'object' && skipSpace(text, read.end) === text.length ? read.value : text;
  }
  return parameterValue(schema, name, text);
}

/** The call that has these parameters. */
export function callWithParameters(name: string, { fields, end }: WrittenParameters, source: string): WrittenCall {
  const json = JSON.stringify(Object.fromEntries(fields));
  return { name, json: end === undefined ? incomplete(json) : json, source };
}
