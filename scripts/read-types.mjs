// Reads declarations of types with their comments out of source files, for tables in docs. It supports
// the syntax that src/contract uses, and fails on anything else.
import { readFileSync } from 'node:fs';

/** Every interface and type of these files by name: `{ doc, text, above }`. */
export function readTypes(...files) {
  const types = new Map();
  for (const file of files) {
    const source = readFileSync(file, 'utf8');
    const heads = /^(?:export )?(interface|type) (\w+)(?:<[^\n]*?>)?(?: extends ([\w, ]+))? (?:= ?)?/gm;
    for (const match of source.matchAll(heads)) {
      const [head, kind, name, above] = match;
      const start = match.index + head.length;
      const text = kind === 'interface' ? enclosed(source, start) : source.slice(start, endOf(source, start, ';'));
      types.set(name, { doc: docBefore(source, match.index), text, above: above?.split(', ') ?? [] });
    }
  }
  return types;
}

/** The members of a union, each `{ doc, text }`. */
export const choicesOf = (text) => partsOf(text, '|');

/** All fields of a type, including inherited ones: `{ name, optional, doc, text }`. */
export function fieldsOf(text, types) {
  const type = text.trim().replace(/^\(([\s\S]*)\)$/, '$1');
  const parts = partsOf(type, '&');
  if (parts.length > 1) return parts.flatMap((part) => fieldsOf(part.text, types));
  if (type.startsWith('{')) return membersOf(type);
  const required = /^Required<(\w+)>$/.exec(type)?.[1];
  if (required) return fieldsOf(required, types).map((field) => ({ ...field, optional: false }));
  const declared = types.get(type.replace(/<\w+>$/, ''));
  if (!declared) throw new Error(`The type "${type}" is not understood. Teach scripts/read-types.mjs to read it.`);
  return [...declared.above.flatMap((name) => fieldsOf(name, types)), ...fieldsOf(declared.text, types)];
}

function membersOf(type) {
  return partsOf(type.slice(1, -1), ';').map(({ doc, text }) => {
    const field = /^(?:readonly )?(\w+)(\??)(?::|\()/.exec(text);
    if (!field) throw new Error(`The member "${text}" is not understood. Teach scripts/read-types.mjs to read it.`);
    return { name: field[1], optional: field[2] === '?', doc, text: text.slice(field[0].length).trim() };
  });
}

/** Splits at separators outside of brackets; each piece has the comment before it. */
function partsOf(text, separator) {
  const parts = [];
  let doc = '';
  for (let start = 0; start < text.length; ) {
    const end = endOf(text, start, separator);
    let piece = text.slice(start, end).trim();
    if (piece.startsWith('/**')) {
      const close = piece.indexOf('*/');
      doc = wordsOf(piece.slice(3, close));
      piece = piece.slice(close + 2).trim();
    }
    // In a union the comment of a member stands before its bar, so at the end of the piece before.
    const next = piece.endsWith('*/') ? piece.lastIndexOf('/**') : piece.length;
    if (piece.slice(0, next).trim() !== '') {
      parts.push({ doc, text: piece.slice(0, next).trim() });
      doc = '';
    }
    if (next < piece.length) doc = wordsOf(piece.slice(next + 3, -2));
    start = end + 1;
  }
  return parts;
}

function docBefore(source, index) {
  const end = source.lastIndexOf('*/', index);
  if (end < 0 || source.slice(end + 2, index).trim() !== '') return '';
  return wordsOf(source.slice(source.lastIndexOf('/**', end) + 3, end));
}

const wordsOf = (comment) =>
  comment
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .join(' ')
    .trim();

function enclosed(source, start) {
  const end = endOf(source, start + 1, '}');
  return source.slice(start, end + 1);
}

/** The position of the next separator outside of brackets, comments and quotes, or the end. */
function endOf(text, start, separator) {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text.startsWith('/*', at)) at = text.indexOf('*/', at) + 1;
    else if (text[at] === "'") at = text.indexOf("'", at + 1);
    else if (text.startsWith('=>', at)) at += 1;
    else if (depth === 0 && text[at] === separator) return at;
    else if ('([{<'.includes(text[at])) depth += 1;
    else if (')]}>'.includes(text[at])) depth -= 1;
  }
  return text.length;
}
