import type { ContentBlock } from '../../contract/message.js';
import type { ToolContext } from '../../contract/tool-context.js';
import { hashOf } from '../../platform/crypto.js';
import { decodeText } from '../../platform/encodings/text-file.js';
import { fileKind } from '../../platform/files/file-kind.js';
import type { OpenedFile } from '../../platform/files/open-file.js';
import { prepareImage, UnusableImage } from '../../platform/formats/image.js';
import {
  type CellOutput,
  findCell,
  type Notebook,
  type NotebookCell,
  parseNotebook,
  UnusableNotebook,
} from '../../platform/formats/notebook.js';
import { firstSentence } from '../../platform/text/clause.js';
import { safeCut } from '../../platform/text/truncate.js';
import { assertText, undecodable } from '../editing/load-text.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { estimateTokens, MAX_TOKENS } from './estimate-tokens.js';

const MAX_NOTEBOOK_BYTES = 100_000_000; // held in memory as a whole
const MAX_OUTPUT_CHARS = 10_000;
const MAX_SOURCE_CHARS = 50_000;
const MAX_IMAGES = 10;

export interface Cells {
  type: 'notebook';
  path: string;
  /** Cells in the whole notebook. */
  total: number;
  shown: number;
  blocks: ContentBlock[];
}

/** Reads the cells of a notebook, or one of them, with their outputs; and records that it was seen. */
export async function readCells(
  target: TargetFile,
  handle: OpenedFile,
  size: number,
  cellName: string | undefined,
  { session, signal, callId }: Pick<ToolContext, 'session' | 'signal' | 'callId'>,
): Promise<Cells> {
  if (size > MAX_NOTEBOOK_BYTES) {
    throw refusal(
      `${target.shown} is a notebook of ${size} bytes, more than the ${MAX_NOTEBOOK_BYTES} that are loaded.`,
      { advice: 'Clear its outputs, or read parts of its raw text with offset and limit.' },
    );
  }
  const bytes = await handle.readFile();
  assertText(target, bytes);
  signal.throwIfAborted();
  const notebook = await understand(target, bytes);
  const chosen = cellName === undefined ? notebook.cells : [chosenCell(target, notebook, cellName)];
  const { blocks, shown } = await show(target, notebook, chosen, signal);

  // Cells are not lines: only what was seen as text may be edited as text.
  const hash = hashOf(bytes);
  const before = session.ledger.get(target.real);
  const lines = before?.hash === hash ? before.lines : [];
  session.ledger.set(target.real, { hash, size: bytes.length, at: new Date(), lines }, callId);
  return { type: 'notebook', path: target.shown, total: notebook.cells.length, shown, blocks };
}

async function understand(target: TargetFile, bytes: Buffer): Promise<Notebook> {
  try {
    return parseNotebook((await decodeText(bytes)).text);
  } catch (error) {
    throw error instanceof UnusableNotebook
      ? refusal(`${target.shown} ${error.message}`, {
          problem: `${target.shown} ${firstSentence(error.message)}`,
          cause: error,
        })
      : undecodable(target, error);
  }
}

function chosenCell(target: TargetFile, notebook: Notebook, name: string): NotebookCell {
  try {
    const cell = notebook.cells[findCell(notebook, name)];
    if (cell) return cell;
  } catch (error) {
    throw error instanceof UnusableNotebook
      ? refusal(`${target.shown} ${error.message}`, {
          problem: `${target.shown} ${firstSentence(error.message)}`,
          cause: error,
        })
      : error;
  }
  throw refusal(`${target.shown} has no cell "${name}".`);
}

async function show(
  target: TargetFile,
  { language, cells: all }: Notebook,
  cells: readonly NotebookCell[],
  signal: AbortSignal,
): Promise<{ blocks: ContentBlock[]; shown: number }> {
  const page = new BlockPage();
  const head = `${target.shown}: notebook${language ? ` in ${language}` : ''}, ${all.length === 1 ? '1 cell' : `${all.length} cells`}`;
  page.text(head);
  let shown = 0;
  for (const cell of cells) {
    signal.throwIfAborted();
    const source = cut(cell.source, MAX_SOURCE_CHARS, 'cell');
    if (shown > 0 && page.tokens + estimateTokens(source) > MAX_TOKENS) break;
    page.text(`${opening(cell)}\n${source}\n</cell>`);
    for (const output of cell.outputs) await showOutput(output, page);
    shown += 1;
  }
  const next = cells[shown];
  if (next) {
    page.text(
      `(PARTIAL view: ${shown} of ${cells.length} cells. Read the others one by one with NotebookRead and cell_id, from "${next.name}" on, or the raw text with offset and limit.)`,
    );
  }
  return { blocks: page.blocks(), shown };
}

function opening({ name, type, executionCount }: NotebookCell): string {
  const count = executionCount === undefined ? '' : ` execution_count="${executionCount}"`;
  return `<cell id="${name}" type="${type}"${count}>`;
}

async function showOutput(output: CellOutput, page: BlockPage): Promise<void> {
  if (output.type === 'other') {
    if (output.mediaTypes.length > 0) page.text(`(output not shown: ${output.mediaTypes.join(', ')})`);
    return;
  }
  if (output.type === 'image') return await showImage(output, page);
  const text = cut(output.text.replace(/\n$/, ''), MAX_OUTPUT_CHARS, 'output');
  if (page.tokens + estimateTokens(text) > MAX_TOKENS) {
    page.text(`(output of ${output.text.length} characters left out: too much for one answer)`);
  } else page.text(`<output${output.type === 'error' ? ' type="error"' : ''}>\n${text}\n</output>`);
}

async function showImage({ mediaType, base64 }: CellOutput & { type: 'image' }, page: BlockPage): Promise<void> {
  if (page.images === MAX_IMAGES)
    return page.text(`(${mediaType} output left out: ${MAX_IMAGES} images are shown at most)`);
  const bytes = Buffer.from(base64, 'base64');
  const kind = fileKind(bytes);
  if (kind.kind !== 'image') return page.text(`(output said to be ${mediaType} is not an image)`);
  try {
    const prepared = await prepareImage(bytes, kind.mediaType);
    const source = { type: 'base64' as const, media_type: prepared.mediaType, data: prepared.bytes.toString('base64') };
    page.image({ type: 'image', source });
  } catch (error) {
    if (!(error instanceof UnusableImage)) throw error;
    page.text(`(the image in this output ${error.message})`);
  }
}

const cut = (text: string, max: number, what: string): string =>
  text.length > max ? `${text.slice(0, safeCut(text, max))}\n[cut: the ${what} has ${text.length} characters]` : text;

/** Collects blocks; adjacent texts are merged. */
class BlockPage {
  tokens = 0;
  images = 0;
  readonly #blocks: ContentBlock[] = [];

  text(text: string): void {
    this.tokens += estimateTokens(text) + 1;
    const last = this.#blocks.at(-1);
    if (last?.type === 'text') last.text += `\n${text}`;
    else this.#blocks.push({ type: 'text', text });
  }

  image(block: ContentBlock & { type: 'image' }): void {
    this.images += 1;
    this.#blocks.push(block);
  }

  blocks(): ContentBlock[] {
    return this.#blocks;
  }
}
