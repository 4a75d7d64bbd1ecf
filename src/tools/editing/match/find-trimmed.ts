import { diffArrays } from 'diff';
import { normalizeEndings } from '../../../platform/text/line-endings.js';
import type { IndentedPassage } from './find-indented.js';
import { searchPassages } from './search-passages.js';
import type { TextLines } from './text-lines.js';

const MAX_LINE_EDITS = 2_000; // with more edits than this, few lines are kept

/**
 * The passages that equal the sought text except for trailing whitespace. Undefined if there are too many candidates to
 * check.
 */
export function findTrimmed(text: TextLines, wanted: string): IndentedPassage[] | undefined {
  const sent = normalizeEndings(wanted).split('\n');
  const bodies = sent.map((line) => line.trimEnd());
  const anchor = bodies.reduce((best, body, index) => (body.length > (bodies[best]?.length ?? 0) ? index : best), 0);
  const body = bodies[anchor] ?? '';
  if (body.trim() === '') return [];
  return searchPassages(text, body, (line, compared) =>
    line > anchor ? passageAt(text, line - anchor, sent, compared) : undefined,
  );
}

function passageAt(
  text: TextLines,
  first: number,
  sent: readonly string[],
  compared: (line: string) => void,
): IndentedPassage | undefined {
  const last = first + sent.length - 1;
  if (last > text.lineCount + 1 || (last > text.lineCount && sent.at(-1) !== '')) return undefined;
  let [start, end] = [text.start(first), text.start(last)];
  for (const [index, line] of sent.entries()) {
    const there = text.line(first + index);
    compared(there);
    const [body, bodyThere] = [line.trimEnd(), there.trimEnd()];
    const isLast = index === sent.length - 1;
    if (isLast && line === '') {
      if (text.ending(last - 1) === '') return undefined;
      continue; // a line break at the end
    }
    const isWhole = body === bodyThere;
    if (isLast) {
      const isPart = sent.length > 1 && line === body && there.startsWith(body);
      const endsHere = index === 0 && bodyThere.trimStart() === body.trimStart() && bodyThere.endsWith(body);
      if (!isWhole && !isPart && !endsHere) return undefined;
      end = text.start(last) + (isWhole || endsHere ? there.length : body.length);
    }
    if (index === 0) {
      if (!isRestOf(bodyThere, body)) return undefined;
      start += body === '' && sent.length > 1 ? there.length : bodyThere.length - body.length;
    } else if (!isLast && !isWhole) return undefined;
  }
  return {
    start,
    end,
    change: {
      says: '',
      reindent: (fresh) => withBlanksOf(partsOf(text, { start, end, first }, sent.length), sent, fresh),
      isIndented: () => false,
    },
  };
}

/** Whether the line ends with the text at a word boundary: "30" does not match a line that ends with 130. */
function isRestOf(line: string, text: string): boolean {
  if (!line.endsWith(text)) return false;
  const before = line.slice(0, line.length - text.length);
  return !(/\w$/.test(before) && /^\w/.test(text));
}

/**
 * The part of each line that the passage covers: all of it, except for the first and the last, which may be partial.
 */
function partsOf(text: TextLines, { start, end, first }: { start: number; end: number; first: number }, count: number) {
  return Array.from({ length: count }, (_, index): string => {
    const line = text.start(first + index);
    return text.raw.slice(Math.max(start, line), Math.min(end, line + text.line(first + index).length));
  });
}

/** Lines of the new text that are unchanged keep the file's trailing whitespace. */
function withBlanksOf(parts: readonly string[], sent: readonly string[], fresh: string): string {
  const lines = fresh.split('\n');
  const kept = diffArrays([...sent], lines, { maxEditLength: MAX_LINE_EDITS });
  if (!kept) return fresh;
  let at = 0;
  return kept
    .flatMap(({ value, added, removed }): string[] => {
      if (added) return value;
      const from = at;
      at += value.length;
      return removed ? [] : parts.slice(from, at);
    })
    .join('\n');
}
