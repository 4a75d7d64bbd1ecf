import type { FileHandle } from 'node:fs/promises';
import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { SeenFile, ToolContext } from '../contract/tool-context.js';
import { fileKind, HEAD_BYTES, type ImageType } from '../platform/files/file-kind.js';
import { shortPath } from '../platform/files/paths.js';
import { scanLines } from '../platform/files/scan-lines.js';
import { counted } from './counted.js';
import { joinRanges } from './editing/line-ranges.js';
import { assertText, undecodable } from './editing/load-text.js';
import { readEffects } from './file-effect.js';
import { pathText, withAliases } from './input.js';
import { refusal } from './refusal.js';
import { locate, openTarget, type TargetFile } from './target-file.js';

const DEFAULT_LINES = 2_000;
const MAX_LINE_CHARS = 2_000; // minified code and data in one line: the start tells what it is
const MAX_CHARS = 100_000; // about 25,000 tokens, so that one call can't fill the context
const MAX_RESULT_CHARS = 120_000; // above MAX_CHARS and its notices: a page of a saved result is never saved again
const MAX_IMAGE_BYTES = 3_932_160; // 3.75 MB are 5 MB in base64, which is what providers take

const description = `Read a file. Answers with its lines, each after its number and a tab.
Use it before you change a file, and to look at pictures (PNG, JPEG, GIF, WebP). Find the file with Glob or Grep first when you don't know where it is; use LS for a directory.
Reads ${DEFAULT_LINES} lines from the start by default. For a larger file, go on in pages with offset and limit.
Lines over ${MAX_LINE_CHARS} characters are cut, and one call shows at most ${MAX_CHARS} characters; both are said.`;

const input = withAliases(
  { path: 'file_path' },
  z.strictObject({
    file_path: pathText.describe('The file to read, absolute or relative to the working directory'),
    offset: z.int().min(0).optional().describe('The first line to show, counted from 1'),
    limit: z.int().min(1).optional().describe(`How many lines to show. Default ${DEFAULT_LINES}`),
  }),
);

type ReadData =
  | { type: 'text'; path: string; content: string; first: number; last: number; total: number; cutLines: number }
  | { type: 'image'; path: string; mediaType: ImageType; base64: string; bytes: number };

export const readTool = defineTool<z.output<typeof input>, ReadData>({
  name: 'Read',
  description,
  input,
  maxResultChars: MAX_RESULT_CHARS,
  effects: ({ file_path }, context) => readEffects(file_path, context),

  async execute({ file_path, offset = 1, limit = DEFAULT_LINES }, context) {
    const target = await locate(file_path, context);
    const { handle, stats } = await openTarget(target, context);
    try {
      const { buffer: head, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      const kind = fileKind(head.subarray(0, bytesRead));
      if (kind.kind === 'image') return await readImage(target, handle, stats.size, kind.mediaType);
      assertText(target, head.subarray(0, bytesRead));
      return await readText(target, handle, { first: Math.max(offset, 1), limit }, context);
    } finally {
      await handle.close();
    }
  },

  toModel(data) {
    if (data.type === 'image') {
      return [{ type: 'image', source: { type: 'base64', media_type: data.mediaType, data: data.base64 } }];
    }
    const { path, content, first, last, total, cutLines } = data;
    if (total === 0) return `<system-reminder>${path} exists, but it is empty.</system-reminder>`;
    if (last < first) {
      return `<system-reminder>${path} has ${counted(total, 'line')}, so there is nothing at offset ${first}.</system-reminder>`;
    }
    const notices = [];
    if (cutLines > 0)
      notices.push(
        `${cutLines} of these lines ${cutLines === 1 ? 'is' : 'are'} longer than ${MAX_LINE_CHARS} characters and ${cutLines === 1 ? 'was' : 'were'} cut.`,
      );
    if (first > 1 || last < total) {
      const next = last < total ? ` To continue, read with offset ${last + 1}.` : '';
      notices.push(`PARTIAL view: lines ${first}–${last} of ${total}.${next}`);
    }
    return notices.length > 0 ? `${content}\n\n(${notices.join(' ')})` : content;
  },

  displayCall: ({ file_path = '', offset }) => ({ title: offset ? `${file_path} from line ${offset}` : file_path }),
  displayResult: (data) =>
    data.type === 'image'
      ? { title: `${data.path}: ${data.mediaType}, ${counted(data.bytes, 'byte')}` }
      : { title: `${data.path}: ${Math.max(data.last - data.first + 1, 0)} of ${counted(data.total, 'line')}` },
});

async function readText(
  target: TargetFile,
  handle: FileHandle,
  { first, limit }: { first: number; limit: number },
  { cwd, signal, session }: ToolContext,
): Promise<ReadData> {
  const shown: string[] = [];
  let chars = 0;
  let cutLines = 0;
  let isFull = false;
  let hasLongLine = false;
  const scanned = await scanLines(handle, MAX_LINE_CHARS, signal, (number, text, length) => {
    hasLongLine ||= length > MAX_LINE_CHARS;
    if (isFull || number < first || number >= first + limit) return;
    const line = `${number}\t${text}${length > MAX_LINE_CHARS ? ` … [cut: the line has ${length} characters]` : ''}`;
    isFull = chars + line.length + 1 > MAX_CHARS;
    if (isFull) return;
    shown.push(line);
    chars += line.length + 1;
    if (length > MAX_LINE_CHARS) cutLines += 1;
  }).catch((error: unknown) => {
    throw undecodable(target, error);
  });

  const last = first + shown.length - 1;
  const seen: SeenFile = { hash: scanned.hash, size: scanned.size, at: new Date(), lines: [[first, last]] };
  const before = session.ledger.get(target.real);
  const earlier = before?.hash === scanned.hash ? before.lines : [];
  session.ledger.set(target.real, { ...seen, lines: linesSeen(earlier, [first, last], scanned.lines, hasLongLine) });
  return {
    type: 'text',
    path: shortPath(cwd, target.path),
    content: shown.join('\n'),
    first,
    last,
    total: scanned.lines,
    cutLines,
  };
}

/** A line that is shown cut can be edited in the part that was shown, but a file with one was never seen whole. */
function linesSeen(
  earlier: SeenFile['lines'],
  [first, last]: readonly [number, number],
  total: number,
  hasLongLine: boolean,
): SeenFile['lines'] {
  if (earlier === 'all' || total === 0) return 'all';
  const ranges = joinRanges(last < first ? earlier : [...earlier, [first, last]]);
  const [whole] = ranges;
  return !hasLongLine && whole && whole[0] === 1 && whole[1] >= total ? 'all' : ranges;
}

async function readImage(
  target: TargetFile,
  handle: FileHandle,
  bytes: number,
  mediaType: ImageType,
): Promise<ReadData> {
  if (bytes > MAX_IMAGE_BYTES) {
    throw refusal(
      `${target.shown} is an image of ${bytes} bytes, and at most ${MAX_IMAGE_BYTES} can be shown. Make a smaller copy of it with Bash, then read that.`,
    );
  }
  const base64 = (await handle.readFile()).toString('base64');
  return { type: 'image', path: target.shown, mediaType, base64, bytes };
}
