// JSON as people write it, with comments and trailing commas, where each part knows its line and column.
// Importing this loads the parser, so it is imported dynamically, only if there is something to parse.
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';

const MAX_DEPTH = 100; // no setting needs a tenth of it, and what works on the parts goes as deep as they do

export interface Position {
  line: number;
  column: number;
}

export type JsonNode = Position &
  (
    | { type: 'value'; value: string | number | boolean | null }
    | { type: 'list'; items: readonly JsonNode[] }
    | { type: 'object'; members: readonly Member[] }
  );

export interface Member {
  name: string;
  /** The position of the name. */
  at: Position;
  node: JsonNode;
}

type ParsedDocument = { node: JsonNode } | { problem: string; at: Position };

/** Reads a text. A byte order mark is not part of it; a text without anything is an empty object. */
export function parseDocument(source: string): ParsedDocument {
  const text = source.replace(/^\ufeff/, '');
  const at = positions(text);
  const errors: ParseError[] = [];
  let tree: Node | undefined;
  try {
    tree = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true });
    const [first] = errors;
    if (first) return { problem: wordsFor(printParseErrorCode(first.error)), at: at(first.offset) };
    return { node: tree ? located(tree, at) : { type: 'object', members: [], line: 1, column: 1 } };
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'is nested too deeply', at: at(0) };
    throw error;
  }
}

function located(node: Node, at: (offset: number) => Position, depth = 0): JsonNode {
  if (depth > MAX_DEPTH) throw new RangeError('too deep');
  const position = at(node.offset);
  const { children = [] } = node;
  if (node.type === 'array')
    return { ...position, type: 'list', items: children.map((child) => located(child, at, depth + 1)) };
  if (node.type === 'object') {
    const members = children.flatMap(({ children: [name, value] = [] }) =>
      name && value ? [{ name: String(name.value), at: at(name.offset), node: located(value, at, depth + 1) }] : [],
    );
    return { ...position, type: 'object', members };
  }
  return { ...position, type: 'value', value: node.value };
}

function positions(text: string): (offset: number) => Position {
  const starts = [0];
  for (let index = text.indexOf('\n'); index >= 0; index = text.indexOf('\n', index + 1)) starts.push(index + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
  };
}

/** A message for the parser's error code. It quotes nothing of the file, which may contain a secret there. */
export function wordsFor(code: string): string {
  const words: Readonly<Record<string, string>> = {
    PropertyNameExpected: 'a name in double quotes is missing',
    ValueExpected: 'a value is missing',
    ColonExpected: 'a colon is missing',
    CommaExpected: 'a comma is missing',
    CloseBraceExpected: 'a closing brace is missing',
    CloseBracketExpected: 'a closing bracket is missing',
    EndOfFileExpected: 'the text goes on behind its end',
    InvalidSymbol: 'a word without quotes is not true, false or null',
    InvalidNumberFormat: 'a number is not written as a number',
    UnexpectedEndOfComment: 'a comment is not closed',
    UnexpectedEndOfString: 'a text is not closed by a double quote',
    UnexpectedEndOfNumber: 'a number breaks off',
    InvalidUnicode: 'a \\u is not followed by four hexadecimal digits',
    InvalidEscapeCharacter: 'a backslash is followed by a letter that means nothing; write \\\\ for a backslash',
    InvalidCharacter: 'there is a character that must not be here',
  };
  return words[code] ?? 'it is something else';
}

/** The value without its positions. Names such as `__proto__` are left out. */
export function plainValue(node: JsonNode): unknown {
  if (node.type === 'value') return node.value;
  if (node.type === 'list') return node.items.map(plainValue);
  const members = node.members.filter(({ name }) => name !== '__proto__');
  return Object.fromEntries(members.map(({ name, node: inner }) => [name, plainValue(inner)]));
}

/** The deepest part on the way along the path. */
export function nodeAt(node: JsonNode, path: readonly PropertyKey[]): JsonNode {
  const [key, ...rest] = path;
  if (key === undefined || node.type === 'value') return node;
  const inner =
    node.type === 'list' ? node.items[Number(key)] : node.members.findLast(({ name }) => name === key)?.node;
  return inner ? nodeAt(inner, rest) : node;
}
