// Shows a person how a server has changed a tool or its instructions: the old and the new text, with hidden characters
// visible.
import { isObject } from '../../platform/is-object.js';
import { parseJson } from '../../platform/parse-json.js';
import { plainLine, plainText } from '../../platform/text/plain-text.js';
import type { PinnedTool, ToolChange } from './pins.js';

/** A unified patch with all of the change: a person can't approve what is not shown. */
export async function patchOf({ tool, before, after }: ToolChange): Promise<string> {
  if (before.text === undefined || after.text === undefined) {
    return '(Its definition is too long to be kept, so the change can only be named, not shown.)';
  }
  const { unifiedPatch } = await import('../../platform/text/diff.js');
  const [old, fresh] = [readable(before.text), readable(after.text)];
  const patch = unifiedPatch(plainLine(tool, 80), old, fresh);
  return patch.startsWith('@@') || patch.includes('\n@@') ? patch : wholePatch(old, fresh);
}

/** For texts that are too different to be compared. */
function wholePatch(before: string, after: string): string {
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  return [
    `@@ -1,${old.length} +1,${fresh.length} @@`,
    ...old.map((line) => `-${line}`),
    ...fresh.map((line) => `+${line}`),
  ].join('\n');
}

/** The pinned text with the description in lines of its own, since in JSON it would be one long line. */
function readable(text: PinnedTool['text'] & string): string {
  const definition = parseJson(text);
  if (!isObject(definition)) return plainText(text, Number.POSITIVE_INFINITY);
  const { title, description, inputSchema, annotations, instructions } = definition;
  const parts = [
    ...(title === undefined ? [] : [`title: ${typeof title === 'string' ? title : JSON.stringify(title)}`]),
    ...(description === undefined ? [] : ['description:', indented(description)]),
    ...(instructions === undefined ? [] : ['instructions:', indented(instructions)]),
    ...(annotations === undefined ? [] : ['annotations:', indented(annotations)]),
    ...(inputSchema === undefined ? [] : ['input schema:', indented(inputSchema)]),
  ];
  return plainText(parts.join('\n'), Number.POSITIVE_INFINITY);
}

/** Indented, so that no line of a description can pass for a heading. */
const indented = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? ''))
    .split(/\r\n?|\n|\u2028|\u2029/)
    .map((line) => `  ${line}`)
    .join('\n');
