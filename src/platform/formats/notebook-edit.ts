import { findNodeAtLocation, type Node, parseTree } from 'jsonc-parser';
import { randomHex } from '../crypto.js';
import { type Splice, spliceText } from '../encodings/text-file.js';
import { findCell, type Notebook, parseNotebook, UnusableNotebook } from './notebook.js';

export type CellType = 'code' | 'markdown';

export type CellEdit =
  | { mode: 'replace'; cell: string; source: string; type?: CellType | undefined }
  /** After the cell, or at the beginning. */
  | { mode: 'insert'; cell: string | undefined; source: string; type: CellType }
  | { mode: 'delete'; cell: string };

export interface EditedNotebook {
  /** The changed ranges of the JSON; everything else stays byte for byte. */
  splices: Splice[];
  /** The changed cell's name afterwards; for a deleted one, its former name. */
  cell: string;
  type: string;
  before: string;
  after: string;
}

/** Changes one cell in the JSON of a notebook, in the file's own style. Throws `UnusableNotebook`. */
export function editNotebook(json: string, edit: CellEdit): EditedNotebook {
  const notebook = parseNotebook(json);
  const places = findPlaces(json);
  const edited =
    edit.mode === 'replace'
      ? replaceCell(notebook, places, edit)
      : edit.mode === 'insert'
        ? insertCell(notebook, places, edit)
        : deleteCell(notebook, places, edit);
  assertDone(json, notebook, edit, edited);
  return edited;
}

interface Places {
  json: string;
  /** The array of cells. */
  cells: Node;
  each: readonly Node[];
  layout: Layout;
}

function findPlaces(json: string): Places {
  const root = parsed(json);
  const cells = root && findNodeAtLocation(root, ['cells']);
  if (!root || cells?.type !== 'array') throw new UnusableNotebook('is not a notebook: it has no list of cells.');
  return { json, cells, each: cells.children ?? [], layout: layoutOf(json, root) };
}

function parsed(json: string): Node | undefined {
  try {
    return parseTree(json);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UnusableNotebook(
      'is nested too deeply to be changed. Nothing was written. Use Bash with a program for it.',
      {
        cause: error,
      },
    );
  }
}

type Edited = EditedNotebook & { index: number };

function replaceCell(
  notebook: Notebook,
  { json, each, layout }: Places,
  { cell, source, type }: CellEdit & { mode: 'replace' },
): Edited {
  const index = findCell(notebook, cell);
  const [old, node] = [notebook.cells[index], each[index]];
  if (!old || !node) throw new UnusableNotebook(`has no cell "${cell}".`);
  const isCode = (type ?? old.type) === 'code';
  const sourceNode = findNodeAtLocation(node, ['source']);
  const values = new Map<string, unknown>([
    ['source', sourceNode?.type === 'string' ? source : splitLines(source)],
    ...(type ? [['cell_type', type] as const] : []),
    ...(isCode
      ? ([
          ['outputs', []],
          ['execution_count', null],
        ] as const)
      : []),
  ]);
  const changesType = type !== undefined && type !== old.type;
  const splices = changesType
    ? [rebuilt(json, node, values, isCode ? ['attachments'] : ['outputs', 'execution_count'], layout)]
    : changedValues(json, node, values, layout);
  return { splices, cell: old.name, type: type ?? old.type, before: old.source, after: source, index };
}

/** New values for existing properties. */
function changedValues(json: string, cell: Node, values: ReadonlyMap<string, unknown>, layout: Layout): Splice[] {
  return propertiesOf(cell).flatMap(({ key, value }) => {
    if (!values.has(key)) return [];
    const [start, end] = [value.offset, value.offset + value.length];
    const old = json.slice(start, end);
    const isOneLine = layout.unit !== undefined && (value.children?.length ?? 0) > 0 && !/[\r\n]/.test(old);
    const inside = isOneLine ? { ...layout, unit: undefined, comma: ', ' } : layout;
    const fresh = written(values.get(key), inside, indentationAt(json, start));
    return sameValue(old, values.get(key)) ? [] : [{ start, end, text: fresh }];
  });
}

/** The cell with properties added or removed. The others keep their text. */
function rebuilt(
  json: string,
  cell: Node,
  values: ReadonlyMap<string, unknown>,
  leave: readonly string[],
  layout: Layout,
): Splice {
  const indentation = indentationAt(json, cell.offset) + (layout.unit ?? '');
  const properties = new Map(
    propertiesOf(cell)
      .filter(({ key }) => !leave.includes(key))
      .map(({ key, node }) => [key, json.slice(node.offset, node.offset + node.length)]),
  );
  for (const [key, value] of values) {
    properties.set(key, `${JSON.stringify(key)}${layout.colon}${written(value, layout, indentation)}`);
  }
  const text = enclosed('{', [...properties.values()], '}', layout, indentationAt(json, cell.offset));
  return { start: cell.offset, end: cell.offset + cell.length, text };
}

function insertCell(
  notebook: Notebook,
  { json, cells, each, layout }: Places,
  { cell, source, type }: CellEdit & { mode: 'insert' },
): Edited {
  const index = cell === undefined ? 0 : findCell(notebook, cell) + 1;
  const id = needsIds(notebook) ? freshId(notebook) : undefined;
  const isText = each.some((one) => findNodeAtLocation(one, ['source'])?.type === 'string');
  // In alphabetical order, as Jupyter writes them.
  const value = {
    cell_type: type,
    ...(type === 'code' && { execution_count: null }),
    ...(id !== undefined && { id }),
    metadata: {},
    ...(type === 'code' && { outputs: [] }),
    source: isText ? source : splitLines(source),
  };
  const neighbour = each[Math.max(index - 1, 0)];
  let splice: Splice;
  if (!neighbour) {
    const indentation = indentationAt(json, cells.offset);
    const inner = written(value, layout, indentation + (layout.unit ?? ''));
    const text = enclosed('[', [inner], ']', layout, indentation);
    splice = { start: cells.offset, end: cells.offset + cells.length, text };
  } else {
    const inner = written(value, layout, indentationAt(json, neighbour.offset));
    const between = separator(json, each, neighbour, layout);
    const at = index === 0 ? neighbour.offset : neighbour.offset + neighbour.length;
    splice = { start: at, end: at, text: index === 0 ? inner + between : between + inner };
  }
  return { splices: [splice], cell: id ?? `cell-${index}`, type, before: '', after: source, index };
}

function deleteCell(notebook: Notebook, { cells, each }: Places, { cell }: CellEdit & { mode: 'delete' }): Edited {
  const index = findCell(notebook, cell);
  const [old, node, before, next] = [notebook.cells[index], each[index], each[index - 1], each[index + 1]];
  if (!old || !node) throw new UnusableNotebook(`has no cell "${cell}".`);
  const end = node.offset + node.length;
  let splice: Splice;
  if (before) splice = { start: before.offset + before.length, end, text: '' };
  else if (next) splice = { start: node.offset, end: next.offset, text: '' };
  else splice = { start: cells.offset, end: cells.offset + cells.length, text: '[]' };
  return { splices: [splice], cell: old.name, type: old.type, before: old.source, after: '', index };
}

/** A duplicate key, for example, would make the change ineffective. */
function assertDone(json: string, before: Notebook, edit: CellEdit, { splices, after, index }: Edited): void {
  const { cells } = parseNotebook(spliceText(json, splices));
  const expected = before.cells.length + { replace: 0, insert: 1, delete: -1 }[edit.mode];
  if (cells.length === expected && (edit.mode === 'delete' || cells[index]?.source === after)) return;
  throw new UnusableNotebook(
    `has a cell in an unusual form (a key that occurs twice, for example), so the change would not have the effect that was asked for. Nothing was written. Read it with offset 1 to see its raw text, and change that.`,
  );
}

const needsIds = ({ format: { major, minor } }: Notebook): boolean => major > 4 || (major === 4 && minor >= 5);

function freshId({ cells }: Notebook): string {
  const taken = new Set(cells.map(({ id }) => id));
  for (;;) {
    const id = randomHex(4);
    if (!taken.has(id)) return id;
  }
}

/** Lines with their endings, as notebooks store them. */
const splitLines = (source: string): string[] => (source === '' ? [] : source.split(/(?<=\n)/));

function propertiesOf(object: Node): Array<{ key: string; node: Node; value: Node }> {
  return (object.children ?? []).flatMap((node) => {
    const [key, value] = node.children ?? [];
    return key && value ? [{ key: String(key.value), node, value }] : [];
  });
}

const sameValue = (json: string, value: unknown): boolean => JSON.stringify(JSON.parse(json)) === JSON.stringify(value);

/** The formatting of the file's JSON. */
interface Layout {
  eol: string;
  /** One level of indentation; undefined if everything is on one line. */
  unit: string | undefined;
  colon: string;
  comma: string;
  /** Non-ASCII characters are written as escapes. */
  escapes: boolean;
}

function layoutOf(json: string, root: Node): Layout {
  const [first, second] = propertiesOf(root);
  const lead = first ? json.slice(root.offset + 1, first.node.offset) : '';
  const broken = /(\r\n|\n|\r)([ \t]*)$/.exec(lead);
  const [key, value] = first?.node.children ?? [];
  const colon = key && value ? json.slice(key.offset + key.length, value.offset) : ': ';
  const comma = first && second ? json.slice(first.node.offset + first.node.length, second.node.offset) : ', ';
  return {
    eol: broken?.[1] ?? '\n',
    unit: broken?.[2],
    colon,
    comma,
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it matches ASCII
    escapes: /\\u(?!00[0-7])/.test(json) && /^[\x00-\x7f]*$/.test(json),
  };
}

function written(value: unknown, layout: Layout, indentation: string): string {
  const inner = indentation + (layout.unit ?? '');
  if (Array.isArray(value)) {
    return enclosed(
      '[',
      value.map((one) => written(one, layout, inner)),
      ']',
      layout,
      indentation,
    );
  }
  if (typeof value === 'object' && value !== null) {
    const properties = Object.entries(value).map(
      ([key, one]) => `${JSON.stringify(key)}${layout.colon}${written(one, layout, inner)}`,
    );
    return enclosed('{', properties, '}', layout, indentation);
  }
  const json = JSON.stringify(value);
  return layout.escapes ? json.replaceAll(/[^\x20-\x7e]/g, escaped) : json;
}

function enclosed(open: string, parts: readonly string[], close: string, layout: Layout, indentation: string): string {
  if (parts.length === 0) return open + close;
  if (layout.unit === undefined) return open + parts.join(layout.comma) + close;
  const line = layout.eol + indentation + layout.unit;
  return `${open}${line}${parts.join(`,${line}`)}${layout.eol}${indentation}${close}`;
}

// By UTF-16 units, as in JSON.
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** The text between two cells. */
function separator(json: string, each: readonly Node[], neighbour: Node, layout: Layout): string {
  const [first, second] = each;
  if (first && second) return json.slice(first.offset + first.length, second.offset);
  return layout.unit === undefined ? layout.comma : `,${layout.eol}${indentationAt(json, neighbour.offset)}`;
}

/** The indentation of the line at an offset. */
function indentationAt(json: string, offset: number): string {
  const start = Math.max(json.lastIndexOf('\n', offset - 1), json.lastIndexOf('\r', offset - 1)) + 1;
  return /^[ \t]*/.exec(json.slice(start, offset))?.[0] ?? '';
}
