import { ToolFailure } from '../../contract/failure.js';
import { monotonicMs } from '../clock.js';
import { firstSentence } from '../text/clause.js';
import { grouped } from '../text/digits.js';
import { decodePage } from './decode-page.js';
import { binary, type Fetched } from './fetch-page.js';

const MAX_PDF_CHARS = 1_000_000;
const MAX_PDF_PAGES = 300;
const MAX_PDF_MS = 60_000;
const MAX_PDF_UNPACKED_BYTES = 100_000_000; // the parser takes seconds for ten million, and blocks other work meanwhile
const SNIFFED_BYTES = 8_192;

/** A page's content as text. */
export interface PageContent {
  title: string | undefined;
  text: string;
  /** Notes for the reader on how the text was obtained. */
  notes: string[];
}

/** The text of fetched content: HTML as Markdown, a PDF page by page, other text unchanged. Throws `ToolFailure`. */
export async function pageContent(
  page: Extract<Fetched, { kind: 'page' }>,
  { signal }: { signal: AbortSignal },
): Promise<PageContent> {
  const { bytes, contentType, url } = page;
  if (bytes.subarray(0, 5).toString('latin1') === '%PDF-') return await pdfContent(page, signal);
  if (/^application\/(?:x-)?pdf\b/i.test(contentType)) {
    throw new ToolFailure(`${url} says that it is a PDF, but is none.`, { advice: 'Check the URL.' });
  }
  if (holdsNul(bytes)) throw binary(url, contentType, String(bytes.length));
  const { text } = decodePage(bytes, contentType || '(html)');
  const notes = page.isCut ? [`Only the first ${grouped(bytes.length)} bytes were loaded.`] : [];
  if (!isHtml(contentType, text)) return { title: undefined, text: text.trim(), notes };
  const { htmlToMarkdown } = await import('../text/html-to-markdown.js');
  const { title, markdown, isCut, isPlain } = await htmlToMarkdown(text, { url });
  if (isCut) notes.push('The page is very long: only its beginning was turned into text.');
  if (isPlain) notes.push('The page is nested too deeply to be understood: its tags were taken away.');
  if (markdown === '') notes.push('The page has no text. Perhaps scripts make it, which are not run.');
  return { title, text: markdown, notes };
}

/** In UTF-16 half of the bytes may be NUL; it begins with a byte order mark. */
function holdsNul(bytes: Buffer): boolean {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return !isUtf16 && bytes.subarray(0, SNIFFED_BYTES).includes(0);
}

function isHtml(contentType: string, text: string): boolean {
  if (/^(?:text\/html|application\/xhtml\+xml)\b/i.test(contentType)) return true;
  const saysNothing = contentType === '' || /^application\/octet-stream\b/i.test(contentType);
  return saysNothing && /^\s*(?:<!doctype html|<html[\s>])/i.test(text.slice(0, 1_000));
}

async function pdfContent(
  { bytes, url, isCut }: Extract<Fetched, { kind: 'page' }>,
  signal: AbortSignal,
): Promise<PageContent> {
  if (isCut) {
    throw new ToolFailure(`${url} is a PDF of more than ${grouped(bytes.length)} bytes, which is too much to load.`, {
      advice: 'Download it with Bash (curl -o FILE URL), then use Read with pages.',
    });
  }
  const { openPdf, UnreadablePdf } = await import('../formats/pdf.js');
  try {
    const pdf = await openPdf(new Uint8Array(bytes), { signal, limits: { unpackedBytes: MAX_PDF_UNPACKED_BYTES } });
    const began = monotonicMs();
    try {
      const parts: string[] = [];
      let chars = 0;
      let number = 1;
      const isEnough = (): boolean => chars >= MAX_PDF_CHARS || monotonicMs() - began > MAX_PDF_MS;
      for (; number <= Math.min(pdf.pages, MAX_PDF_PAGES) && !isEnough(); number += 1) {
        signal.throwIfAborted();
        const text = await pdf.textOf(number);
        chars += text.length;
        parts.push(`--- page ${number} of ${pdf.pages} ---\n${text || '(no text)'}`);
      }
      const notes = number <= pdf.pages ? [`The PDF has ${pdf.pages} pages; the first ${number - 1} were read.`] : [];
      return { title: undefined, text: parts.join('\n\n').slice(0, MAX_PDF_CHARS * 2), notes };
    } finally {
      await pdf.close();
    }
  } catch (error) {
    if (error instanceof UnreadablePdf) {
      throw new ToolFailure(`${url} ${error.message}`, {
        problem: `${url} ${firstSentence(error.message)}`,
        cause: error,
      });
    }
    throw error;
  }
}
