import type { SeenFile, ToolContext } from '../../contract/tool-context.js';
import { type OpenedText, scanLines } from '../../platform/encodings/scan-lines.js';
import { formatByHead, formatName, type TextFormat } from '../../platform/encodings/text-file.js';
import { elidedPath, shortPath } from '../../platform/files/paths.js';
import { counted } from '../../platform/text/counted.js';
import { shortReminder } from '../../platform/text/reminder.js';
import { MAX_BYTES, timeOfDay, undecodable } from '../editing/load-text.js';
import { joinRanges } from '../editing/match/line-ranges.js';
import type { TargetFile } from '../target-file.js';
import { estimateTokens, MAX_TOKENS } from './estimate-tokens.js';
import { createShownPages } from './shown-pages.js';

export const MAX_LINE_CHARS = 2_000; // minified code and data on one line: the start shows what it is
const WORTH_REPEATING_CHARS = 2_000; // resending a shorter page costs less than a second request

export interface TextPage {
  type: 'text';
  path: string;
  absolute: string;
  /** The path for messages, with the target of a symlink. */
  shown: string;
  content: string;
  first: number;
  last: number;
  /** The number of lines; undefined for a file so large that only the page was read. */
  total: number | undefined;
  bytes: number;
  /** The numbers of the truncated lines. */
  cutLines: number[];
  /** How many of the lines shown start with tabs, and with spaces. */
  indented: { tabs: number; blanks: number };
  format: TextFormat;
  /** It is the text in the person's editor, which differs from the file on disk. */
  isUnsaved?: boolean;
}

/** The page was shown before and is unchanged. */
export interface UnchangedPage {
  type: 'unchanged';
  path: string;
  first: number;
  last: number;
  at: Date;
}

export interface OpenText extends OpenedText {
  target: TargetFile;
  size: number;
  isUnsaved?: boolean;
}

/** Thrown to stop the scan of a very large file once the page is complete, since the rest would take minutes. */
class PageIsFull extends Error {}

/** Reads a page of numbered lines in constant memory, and records what was seen. */
export async function readTextPage(
  { target, size, isUnsaved, ...file }: OpenText,
  { first, limit }: { first: number; limit: number },
  context: Pick<ToolContext, 'cwd' | 'signal' | 'session' | 'callId'>,
): Promise<TextPage | UnchangedPage> {
  const { cwd, signal, session, callId } = context;
  const isLarge = size > MAX_BYTES; // too large to be edited, so its hash is not needed
  const shown: string[] = [];
  const cutLines: number[] = [];
  const indented = { tabs: 0, blanks: 0 };
  let tokens = 0;
  let isFull = false;
  const scanned = await scanLines(file, MAX_LINE_CHARS, signal, (number, text, length) => {
    if (number < first) return;
    if (isFull || number >= first + limit) {
      if (isLarge) throw new PageIsFull();
      return;
    }
    const line = `${number}\t${text}${length > MAX_LINE_CHARS ? ` … [cut: the line has ${length} characters]` : ''}`;
    const needed = estimateTokens(line) + 1;
    isFull = tokens + needed > MAX_TOKENS;
    if (isFull) return;
    shown.push(line);
    tokens += needed;
    if (length > MAX_LINE_CHARS) cutLines.push(number);
    if (/^ *\t/.test(text)) indented.tabs += 1;
    else if (text.startsWith('  ')) indented.blanks += 1;
  }).catch((error: unknown) => {
    if (error instanceof PageIsFull) return undefined;
    throw undecodable(target, error);
  });

  const path = elidedPath(shortPath(cwd, target.path));
  const last = first + shown.length - 1;
  const content = shown.join('\n');
  if (scanned) {
    const { hash } = scanned;
    const before = session.ledger.get(target.real);
    const earlier = before?.hash === hash ? before.lines : [];
    const lines = linesSeen(earlier, [first, last], scanned.lines);
    const bytes = file.isWhole && { bytes: file.head };
    session.ledger.set(target.real, { hash, size: scanned.size, at: new Date(), lines, ...bytes }, callId);
    if (content.length > WORTH_REPEATING_CHARS) {
      const pages = session.own(createShownPages);
      const at = pages.take(target.real, hash, `${first}+${limit}`);
      if (at) return { type: 'unchanged', path, first, last, at };
      pages.add(target.real, hash, `${first}+${limit}`);
    }
  }
  return {
    type: 'text',
    path,
    absolute: target.path,
    shown: target.shown,
    content,
    first,
    last,
    total: scanned?.lines,
    bytes: scanned?.size ?? size,
    cutLines,
    indented,
    format: scanned?.format ?? formatByHead(file.head) ?? { encoding: 'utf-8', bom: false },
    ...(isUnsaved && { isUnsaved }),
  };
}

/** A truncated line counts as seen: the output says what was cut, and the model can read it. */
function linesSeen(
  earlier: SeenFile['lines'],
  [first, last]: readonly [number, number],
  total: number,
): SeenFile['lines'] {
  if (earlier === 'all' || total === 0) return 'all';
  const ranges = joinRanges(last < first ? earlier : [...earlier, [first, last]]);
  const [whole] = ranges;
  return whole && whole[0] === 1 && whole[1] >= total ? 'all' : ranges;
}

export function describePage(page: TextPage | UnchangedPage): string {
  const { path, first, last } = page;
  if (page.type === 'unchanged') {
    return shortReminder(
      `${path} is unchanged since you read lines ${first}–${last} of it (at ${timeOfDay(page.at)}), so what was shown then still holds. If you can't see it any more, send the same call again.`,
    );
  }
  const { total, content } = page;
  if (total === 0) return shortReminder(`${path} exists, but it is empty.`);
  if (last < first && total !== undefined) {
    return shortReminder(`${path} has ${counted(total, 'line')}, so there is nothing at offset ${first}.`);
  }
  const notices = [
    ...(page.shown === path ? [] : [`This is ${page.shown}.`]),
    ...unsavedNotice(page),
    ...encodingNotice(page),
    ...indentationNotice(page),
    ...cutNotice(page),
    ...partNotice(page),
  ];
  return notices.length > 0 ? `${content}\n\n(${notices.join(' ')})` : content;
}

const unsavedNotice = ({ isUnsaved }: TextPage): string[] =>
  isUnsaved
    ? [
        "This is the text in the user's editor, with changes that are not saved; the file on disk differs. It can't be changed until the user saves or discards them.",
      ]
    : [];

function encodingNotice({ format }: TextPage): string[] {
  if (format.encoding === 'utf-8') return [];
  const guess = format.sure === false ? ' (a guess by how it reads)' : '';
  return [`The file is in ${formatName(format)}${guess}; edits keep that.`];
}

// After the lines, so that the output starts with the first of them and the lines stay verbatim.
function indentationNotice({ indented: { tabs, blanks } }: TextPage): string[] {
  if (tabs === 0) return [];
  if (blanks === 0) return ['Indented with tabs.'];
  return [
    `Indentation is mixed: ${counted(tabs, 'line begins', 'lines begin')} with tabs, ${counted(blanks, 'line')} with blanks.`,
  ];
}

function cutNotice({ cutLines, path }: TextPage): string[] {
  const [number] = cutLines;
  if (number === undefined) return [];
  const [are, were] = cutLines.length === 1 ? ['is', 'was'] : ['are', 'were'];
  const next = `sed -n ${number}p ${quoted(path)} | cut -c ${MAX_LINE_CHARS + 1}-${MAX_LINE_CHARS * 2}`;
  return [
    `${cutLines.length} of these lines ${are} longer than ${MAX_LINE_CHARS} characters and ${were} cut. To see more of line ${number}, use Bash: ${next}`,
  ].map((notice) => `${notice}.`);
}

const quoted = (path: string): string =>
  /^[\w./@%+-]+$/.test(path) && !path.startsWith('-') ? path : `'${path.replaceAll("'", "'\\''")}'`;

function partNotice({ first, last, total, bytes }: TextPage): string[] {
  if (first === 1 && last === total) return [];
  const of = total === undefined ? `of a file of ${bytes} bytes, whose lines were not counted` : `of ${total}`;
  const next = total === undefined || last < total ? ` To continue, read with offset ${last + 1}.` : '';
  return [`PARTIAL view: lines ${first}–${last} ${of}.${next}`];
}
