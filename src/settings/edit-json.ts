// One change to the text of a JSON file that people write by hand: comments, order and formatting stay.

import { join } from 'node:path';
import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type ModificationOptions,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import { UserFacingError } from '../contract/user-facing-error.js';
import { sha256 } from '../platform/crypto.js';
import { dataFolderOf } from '../platform/files/paths.js';
import { parseDocument } from './document.js';
import type { PlaceOptions } from './locations.js';

/** The file can't be changed that way; nothing was written. */
export class EditRefused extends UserFacingError {}

export interface Edit {
  /** `['permissions', 'allow']`. */
  path: readonly string[];
  /** Undefined removes it. */
  value: unknown;
  /** Adds the value to an existing list instead. */
  append?: boolean;
}

/** The text with the change made, or the same text if there is nothing to change. `file` is its name in messages. */
export function editedJson(text: string, { path, value, append = false }: Edit, file: string): string {
  const mark = text.startsWith('\ufeff') ? '\ufeff' : '';
  const body = text.slice(mark.length).trim() === '' ? '{}\n' : text.slice(mark.length);
  const parsed = parseDocument(body);
  if ('problem' in parsed) {
    const { line, column } = parsed.at;
    throw new EditRefused(
      `${file}:${line}:${column}: not valid JSON: ${parsed.problem}. Nothing was written. Correct it there first.`,
    );
  }
  const tree = parseTree(body, [], { allowTrailingComma: true });
  refuseNoObject(tree, path.slice(0, -1), file);
  const options: ModificationOptions = { formattingOptions: formatOf(body) };
  const there = tree && findNodeAtLocation(tree, [...path]);
  if (append && there?.type === 'array') {
    const known: unknown[] = getNodeValue(there);
    if (known.includes(value)) return text;
    return (
      mark + applyEdits(body, modify(body, [...path, known.length], value, { ...options, isArrayInsertion: true }))
    );
  }
  if (value === undefined && !there) return text;
  return mark + applyEdits(body, modify(body, [...path], append ? [value] : value, options));
}

/** The lock of a file: only one process changes it at a time. */
export const lockOf = (path: string, options: PlaceOptions): string =>
  join(dataFolderOf(options), 'locks', `settings-${sha256().update(path).digest('hex').slice(0, 40)}`);

/** Throws if another value is in place of an object: it would be lost. */
function refuseNoObject(tree: Node | undefined, path: readonly string[], file: string): void {
  for (let length = 0; length <= path.length; length += 1) {
    const node = tree && findNodeAtLocation(tree, path.slice(0, length));
    if (!node || node.type === 'object') continue;
    const where = length === 0 ? '' : ` under "${path.slice(0, length).join('.')}"`;
    throw new EditRefused(`${file} does not hold an object${where}. Nothing was written. Correct it there first.`);
  }
}

/** The formatting of the existing file. */
function formatOf(text: string) {
  const [, indent = '  '] = /\n([ \t]+)\S/.exec(text) ?? [];
  return {
    insertSpaces: !indent.startsWith('\t'),
    tabSize: indent.startsWith('\t') ? 1 : indent.length,
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
}
