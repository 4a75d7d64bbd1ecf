import { encodeText, markOf, type TextFormat } from '../../platform/encodings/text-file.js';
import type { LoadedText } from './load-text.js';
import type { ChangedText } from './match/edit-text.js';
import { textLines } from './match/text-lines.js';

/** The content in the encoding of the file that it replaces, and with \r\n if the file uses only that. */
export function replacement({ text: before, format }: LoadedText, content: string): ChangedText {
  const keepsEndings = hasOnlyCrLf(before) && content.includes('\n') && !content.includes('\r');
  if (!keepsEndings) return wholeText(content, format);
  const changed = wholeText(content.replaceAll('\n', '\r\n'), format);
  return { ...changed, notes: ['Its line endings (\\r\\n) were kept.'] };
}

const hasOnlyCrLf = (text: string): boolean => text.includes('\r\n') && !/(?<!\r)\n|\r(?!\n)/.test(text);

export function wholeText(content: string, format: TextFormat): ChangedText {
  // A byte order mark in the content is the one that the file already has.
  const text = format.bom ? content.replace(/^\ufeff/, '') : content;
  const bytes = Buffer.concat([markOf(format), encodeText(text, format.encoding)]);
  return { bytes, text: textLines(text), places: [], lines: 'all', replacements: 1, done: 'written', notes: [] };
}
