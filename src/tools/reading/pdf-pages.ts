import type { ToolContext } from '../../contract/tool-context.js';
import type { OpenedFile } from '../../platform/files/open-file.js';
import { MAX_PDF_BYTES, openPdf, type Pdf, UnreadablePdf } from '../../platform/formats/pdf.js';
import { firstSentence } from '../../platform/text/clause.js';
import { counted } from '../../platform/text/counted.js';
import { safeCut } from '../../platform/text/truncate.js';
import { refusal } from '../refusal.js';
import type { TargetFile } from '../target-file.js';
import { estimateTokens, MAX_TOKENS } from './estimate-tokens.js';
import { choosePages, MAX_PAGES } from './page-choice.js';

const MAX_PAGES_UNASKED = 10; // of a longer document, only the relevant pages should be read
const MAX_PAGE_CHARS = 50_000;

export interface PdfPages {
  type: 'pdf';
  path: string;
  total: number;
  pages: Array<{ number: number; text: string }>;
  /** Requested pages that did not fit. */
  left: number[];
}

export async function readPdfPages(
  target: TargetFile,
  handle: OpenedFile,
  size: number,
  choice: string | undefined,
  { signal }: Pick<ToolContext, 'signal'>,
): Promise<PdfPages> {
  if (size > MAX_PDF_BYTES) {
    throw refusal(`${target.shown} is a PDF of ${size} bytes, more than the ${MAX_PDF_BYTES} that are loaded.`, {
      advice: 'Make a part of it a file of its own, then read that.',
    });
  }
  try {
    const pdf = await openPdf(new Uint8Array(await handle.readFile()), { signal });
    try {
      const { pages, left } = await readPages(pdf, chosenPages(target, pdf.pages, choice), signal);
      return { type: 'pdf', path: target.shown, total: pdf.pages, pages, left };
    } finally {
      await pdf.close();
    }
  } catch (error) {
    throw error instanceof UnreadablePdf
      ? refusal(`${target.shown} ${error.message}`, {
          problem: `${target.shown} ${firstSentence(error.message)}`,
          cause: error,
        })
      : error;
  }
}

function chosenPages({ shown }: TargetFile, total: number, choice: string | undefined): number[] {
  const example = `pages: "1-${Math.min(MAX_PAGES, total)}"`;
  if (choice === undefined && total > MAX_PAGES_UNASKED) {
    throw refusal(`${shown} has ${total} pages, and at most ${MAX_PAGES_UNASKED} are read without a choice of pages.`, {
      advice: `Send the call again with the pages that you need, at most ${MAX_PAGES} at a time, for example ${example}.`,
    });
  }
  const chosen = choosePages(choice ?? `1-${total}`, total);
  if (typeof chosen === 'string') {
    throw refusal(`${shown} was not read: ${chosen}`, {
      advice: `It has ${counted(total, 'page')}; send for example ${example}.`,
    });
  }
  return chosen;
}

async function readPages(
  pdf: Pdf,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<Pick<PdfPages, 'pages' | 'left'>> {
  const pages: PdfPages['pages'] = [];
  let tokens = 0;
  for (const [index, number] of numbers.entries()) {
    signal.throwIfAborted();
    const text = cut(await pdf.textOf(number));
    tokens += estimateTokens(text);
    if (tokens > MAX_TOKENS && pages.length > 0) return { pages, left: numbers.slice(index) };
    pages.push({ number, text });
  }
  return { pages, left: [] };
}

const cut = (text: string): string =>
  text.length > MAX_PAGE_CHARS
    ? `${text.slice(0, safeCut(text, MAX_PAGE_CHARS))}\n[cut: the page has ${text.length} characters]`
    : text;

export function describePdf({ path, total, pages, left }: PdfPages): string {
  const parts = pages.map(({ number, text }) => `--- page ${number} of ${total} ---\n${text || '(no text)'}`);
  const notices: string[] = [];
  const scanned = pages.filter(({ text }) => text === '').map(({ number }) => number);
  const [first] = scanned;
  if (first !== undefined) {
    const which = scanned.length === pages.length ? 'No page shown has text' : `There is no text on ${named(scanned)}`;
    notices.push(
      `${which}: probably a scan or a drawing. To look at a page, make a picture of it and read that, for example with Bash: pdftoppm -f ${first} -l ${first} -r 100 -png FILE page.`,
    );
  }
  if (left.length > 0) {
    notices.push(
      `PARTIAL view: ${counted(left.length, 'page')} did not fit. To continue, read with pages "${left.join(',')}".`,
    );
  } else if (pages.length < total) notices.push(`PARTIAL view: ${pages.length} of ${total} pages.`);
  const end = notices.length > 0 ? [`(${path}: ${notices.join(' ')})`] : [];
  return [...parts, ...end].join('\n\n');
}

const named = (numbers: readonly number[]): string =>
  `${numbers.length === 1 ? 'page' : 'pages'} ${numbers.join(', ')}`;
