import { stripVTControlCharacters } from 'node:util';
import * as z from 'zod';
import { messageOf } from '../message-of.js';
import { listSome } from '../text/counted.js';
import { nearestWords } from '../text/similar-text.js';

const MAX_NAMED_CELLS = 20;

export interface Notebook {
  format: { major: number; minor: number };
  /** Language of the code cells, for example "python". */
  language: string | undefined;
  cells: readonly NotebookCell[];
}

export interface NotebookCell {
  /** Its id, or `cell-N` by its position from 0 if it has none or shares it. */
  name: string;
  id: string | undefined;
  /** "code", "markdown" or "raw". */
  type: string;
  source: string;
  executionCount: number | undefined;
  outputs: readonly CellOutput[];
}

export type CellOutput =
  | { type: 'text' | 'error'; text: string }
  | { type: 'image'; mediaType: string; base64: string }
  /** Widgets, audio and the like, by their media types. */
  | { type: 'other'; mediaTypes: readonly string[] };

/**
 * The notebook can't be read, or not changed as asked. The message continues after the file's name: "is …", "has …".
 */
export class UnusableNotebook extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnusableNotebook';
  }
}

const text = z.union([z.string(), z.array(z.string()).transform((lines) => lines.join(''))]);

const output = z.looseObject({
  output_type: z.string(),
  text: text.optional(),
  data: z.record(z.string(), z.unknown()).optional(),
  ename: z.string().optional(),
  evalue: z.string().optional(),
  traceback: z.array(z.string()).optional(),
});

const cell = z.looseObject({
  cell_type: z.string(),
  source: text,
  id: z.string().optional(),
  execution_count: z.number().nullish(),
  outputs: z.array(output).optional(),
});

const notebook = z.looseObject({
  nbformat: z.number(),
  nbformat_minor: z.number().default(0),
  metadata: z
    .looseObject({
      language_info: z.looseObject({ name: z.string().optional() }).optional(),
      kernelspec: z.looseObject({ language: z.string().optional() }).optional(),
    })
    .optional(),
  cells: z.array(cell),
});

/** Parses a notebook from its JSON. Throws `UnusableNotebook`. */
export function parseNotebook(json: string): Notebook {
  const found = notebook.safeParse(parseJson(json));
  if (!found.success) throw new UnusableNotebook(whyNotANotebook(found.error, json));
  const { nbformat, nbformat_minor, metadata, cells } = found.data;
  const count = Map.groupBy(cells, ({ id }) => id);
  return {
    format: { major: nbformat, minor: nbformat_minor },
    language: metadata?.language_info?.name ?? metadata?.kernelspec?.language,
    cells: cells.map((one, index) => ({
      name: one.id !== undefined && count.get(one.id)?.length === 1 ? one.id : `cell-${index}`,
      id: one.id,
      type: one.cell_type,
      source: one.source,
      executionCount: one.execution_count ?? undefined,
      outputs: (one.outputs ?? []).flatMap(understood),
    })),
  };
}

/** The position of the cell with that id or `cell-N` name. Throws `UnusableNotebook` with the existing ones. */
export function findCell({ cells }: Notebook, name: string): number {
  const byName = cells.findIndex((one) => one.name === name);
  if (byName >= 0) return byName;
  const shared = cells.flatMap(({ id }, index) => (id === name ? [`cell-${index}`] : []));
  if (shared.length > 0) {
    throw new UnusableNotebook(
      `has ${shared.length} cells with the id "${name}", so it is not clear which is meant. Call it by its position: ${shared.join(', ')}.`,
    );
  }
  const byPosition = /^cell-(\d{1,9})$/.exec(name)?.[1];
  if (byPosition !== undefined && Number(byPosition) < cells.length) return Number(byPosition);
  throw new UnusableNotebook(`has no cell "${name.slice(0, 100)}". ${suggestCells(cells, name)}`);
}

function suggestCells(cells: readonly NotebookCell[], name: string): string {
  const names = cells.map((one) => one.name);
  if (names.length === 0) return 'It has no cells at all.';
  const [similar] = nearestWords(name, names);
  if (similar) return `Did you mean "${similar}"?`;
  return `Its cells are ${listSome(names, MAX_NAMED_CELLS)}.`;
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = messageOf(error);
    throw new UnusableNotebook(
      `is not a notebook: its content is ${json.trim() === '' ? 'empty' : `not valid JSON (${why})`}. Read it with offset 1 to see its raw text, and repair that.`,
      { cause: error },
    );
  }
}

function whyNotANotebook({ issues }: z.ZodError, json: string): string {
  const old = z.looseObject({ nbformat: z.number().max(3) }).safeParse(JSON.parse(json));
  if (old.success) {
    return `is a notebook in the old format ${old.data.nbformat}, and formats from 4 on are understood. Convert it (for example with jupyter nbconvert --to notebook), or read it with offset 1 to see its raw text.`;
  }
  const [issue] = issues;
  const where = issue?.path.join('.') || 'the whole';
  return `is valid JSON, but not a notebook (${where}: ${issue?.message}). Read it with offset 1 to see its raw text.`;
}

const IMAGES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];
const TEXTS = ['text/plain', 'text/markdown', 'text/latex', 'application/json', 'text/html', 'image/svg+xml'];

function understood(one: z.output<typeof output>): CellOutput[] {
  if (one.output_type === 'stream') return [{ type: 'text', text: plain(one.text ?? '') }];
  if (one.output_type === 'error') {
    const summary = `${one.ename ?? 'Error'}: ${one.evalue ?? ''}`;
    const traceback = plain((one.traceback ?? []).join('\n'));
    const said = traceback.includes(plain(summary)) ? traceback : [traceback, summary].filter(Boolean).join('\n');
    return [{ type: 'error', text: plain(said) }];
  }
  const data = one.data ?? {};
  const image = IMAGES.find((type) => type in data);
  if (image) return [{ type: 'image', mediaType: image, base64: asText(data[image]).replaceAll(/\s/g, '') }];
  const best = TEXTS.find((type) => type in data);
  if (best) return [{ type: 'text', text: plain(asText(data[best])) }];
  return [{ type: 'other', mediaTypes: Object.keys(data) }];
}

function asText(value: unknown): string {
  const found = text.safeParse(value);
  return found.success ? found.data : JSON.stringify(value, undefined, 2);
}

/** Without colours, and with progress bars in their final state. */
function plain(value: string): string {
  const clean = stripVTControlCharacters(value).replaceAll('\r\n', '\n');
  if (!clean.includes('\r')) return clean;
  const lines = clean.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  return lines.map((line) => line.slice(line.lastIndexOf('\r') + 1)).join('\n');
}
