import * as z from 'zod';
import { defineTool, type ToolDisplay } from '../contract/tool.js';
import type { DescribeContext, ToolContext } from '../contract/tool-context.js';
import { readHead } from '../platform/encodings/scan-lines.js';
import { decodeText } from '../platform/encodings/text-file.js';
import { fileKind, HEAD_BYTES } from '../platform/files/file-kind.js';
import type { OpenedFile } from '../platform/files/open-file.js';
import { counted } from '../platform/text/counted.js';
import { assertText, undecodable } from './editing/load-text.js';
import { readEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusePseudoFiles } from './pseudo-files.js';
import type { Cells } from './reading/cells.js';
import { MAX_TOKENS } from './reading/estimate-tokens.js';
import { describeImage, type ImageFile, readImageFile } from './reading/image.js';
import { MAX_PAGES } from './reading/page-choice.js';
import { describePdf, type PdfPages, readPdfPages } from './reading/pdf-pages.js';
import { describePage, MAX_LINE_CHARS, readTextPage, type TextPage, type UnchangedPage } from './reading/text-page.js';
import { refusal } from './refusal.js';
import { locate, openTarget, type TargetFile } from './target-file.js';
import { unsavedText } from './unsaved-text.js';

const DEFAULT_LINES = 2_000;
const MAX_BUFFER_BYTES = 16 * 1024 * 1024; // of a file on disk: the text of a larger one is not asked of the editor
const MAX_RESULT_CHARS = 120_000; // MAX_TOKENS in characters, plus notices: a page of a saved result is never saved again

/** Names only tools that are enabled. */
const description = ({
  mode,
}: Pick<
  DescribeContext,
  'mode'
>): string => `Read a file: its lines, each after its number and a tab. Also pictures, PDF, and Jupyter notebooks as cells with outputs.
Use it before you change a file.${mode === 'simple' ? '' : ' Find files with Glob and Grep first; for a directory use LS.'}
Shows ${DEFAULT_LINES} lines and at most about ${MAX_TOKENS} tokens: go on with offset and limit. Lines over ${MAX_LINE_CHARS} characters are cut.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText,
    offset: z.int().min(0).optional().describe('First line, from 1'),
    limit: z.int().min(1).optional(),
    pages: z.string().optional().describe(`Of a PDF, as "2,4-6", at most ${MAX_PAGES}`),
  }),
);

type ReadInput = z.output<typeof input>;
type ReadData = TextPage | UnchangedPage | ImageFile | PdfPages | Cells;

export const readTool = defineTool<ReadInput, ReadData>({
  name: 'Read',
  about: 'Reads a file, an image, a PDF or a notebook.',
  traits: {
    family: 'read',
    subject: ['file_path'],
    fields: ['file_path', 'offset', 'limit', 'pages'],
    bareRule: 'family',
    olderNames: ['View'],
  },
  description,
  input,
  maxResultChars: MAX_RESULT_CHARS,
  effects: ({ file_path }, context) => readEffects(file_path, context),

  async execute(asked, context) {
    const target = await locate(asked.file_path, context);
    refusePseudoFiles(target.real, target.shown);
    const { handle, stats } = await openTarget(target, context);
    try {
      const file = { target, ...(await readHead(handle, stats.size)), size: stats.size };
      return await readAsItsKind(file, asked, context);
    } finally {
      handle.close();
    }
  },

  toModel(data) {
    switch (data.type) {
      case 'image':
        return describeImage(data);
      case 'pdf':
        return describePdf(data);
      case 'notebook':
        return data.blocks;
      default:
        return describePage(data);
    }
  },

  toHooks(data) {
    if (data.type !== 'text') return {};
    const { absolute, content, first, last, total } = data;
    const file = { filePath: absolute, content, numLines: Math.max(last - first + 1, 0), startLine: first };
    return { file: { ...file, ...(total !== undefined && { totalLines: total }) } };
  },

  displayCall: (asked) => ({ ...subject(asked.file_path ?? '', asked), looks: 'read' }),
  displayResult: (data, asked) => ({ ...subject(data.path, asked), facts: [summary(data)], looks: 'read' }),
});

function subject(path: string, { offset, pages }: Partial<ReadInput>): Pick<ToolDisplay, 'title' | 'file'> {
  if (offset) return { title: `${path} from line ${offset}`, file: path };
  return pages ? { title: `${path}, pages ${pages}`, file: path } : { title: path };
}

type OpenFile = Parameters<typeof readTextPage>[0] & { handle: OpenedFile };

async function readAsItsKind(
  file: OpenFile,
  { offset, limit, pages }: ReadInput,
  context: ToolContext,
): Promise<ReadData> {
  const { target, handle, head, size } = file;
  const kind = fileKind(head);
  if (kind.kind === 'binary' && kind.format === 'PDF') {
    return await readPdfPages(target, handle, size, pages?.trim() || undefined, context);
  }
  if (pages?.trim()) {
    throw refusal(`${target.shown} is not a PDF, and pages is for PDF files alone.`, {
      advice: 'Send the call again without it; for a text file use offset and limit.',
    });
  }
  if (kind.kind === 'image') return await readImageFile(target, handle, size, kind.mediaType);
  const wantsCells = offset === undefined && limit === undefined && size > 0;
  if (target.real.toLowerCase().endsWith('.ipynb') && wantsCells) {
    const { readCells } = await import('./reading/cells.js');
    return await readCells(target, handle, size, undefined, context);
  }
  assertText(target, head.subarray(0, HEAD_BYTES));
  return await readTextPage(
    (await unsavedFile(file, context)) ?? file,
    { first: Math.max(offset ?? 1, 1), limit: limit ?? DEFAULT_LINES },
    context,
  );
}

/** The file as the editor holds it; undefined if that is what is on disk. */
async function unsavedFile({ target, handle, head, isWhole, size }: OpenFile, context: ToolContext) {
  if (!context.session.buffers || size > MAX_BUFFER_BYTES) return undefined;
  const onDisk = textOf(target, isWhole ? head : await handle.readFile());
  const text = await unsavedText(target, onDisk, context);
  if (text === undefined) return undefined;
  const bytes = Buffer.from(text);
  return { target, handle, head: bytes, isWhole: true, size: bytes.length, isUnsaved: true };
}

function textOf(target: TargetFile, bytes: Buffer): string {
  try {
    return decodeText(bytes).text;
  } catch (error) {
    throw undecodable(target, error);
  }
}

function summary(data: ReadData): string {
  switch (data.type) {
    case 'image':
      return `${data.format}, ${data.original.width}×${data.original.height}, ${counted(data.bytes, 'byte')}`;
    case 'pdf':
      return share(data.pages.length, data.total, 'page');
    case 'notebook':
      return share(data.shown, data.total, 'cell');
    case 'unchanged':
      return 'unchanged';
    case 'text': {
      const lines = Math.max(data.last - data.first + 1, 0);
      return share(lines, data.total, 'line');
    }
  }
}

const share = (part: number, total: number | undefined, what: string): string =>
  total === undefined || part === total ? counted(part, what) : `${part} of ${counted(total, what)}`;
