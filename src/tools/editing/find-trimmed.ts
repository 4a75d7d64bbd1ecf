import { normalizeEndings } from '../../platform/text/line-endings.js';
import type { IndentedPassage } from './find-indented.js';
import type { TextLines } from './text-lines.js';

const MAX_PLACES_TRIED = 10_000;

/** The passages that are the text sought but for blanks at the ends of lines; two are enough to know that there is not one alone. */
export function findTrimmed(text: TextLines, wanted: string): IndentedPassage[] {
  const sent = normalizeEndings(wanted).split('\n');
  const bodies = sent.map((line) => line.trimEnd());
  const anchor = bodies.reduce((best, body, index) => (body.length > (bodies[best]?.length ?? 0) ? index : best), 0);
  const body = bodies[anchor] ?? '';
  if (body.trim() === '') return [];
  const found = new Map<number, IndentedPassage>();
  let at = text.raw.indexOf(body);
  for (let tried = 0; at !== -1 && found.size < 2 && tried < MAX_PLACES_TRIED; tried += 1) {
    const first = text.lineAt(at) - anchor;
    const passage = first >= 1 ? passageAt(text, first, sent) : undefined;
    if (passage) found.set(passage.start, passage);
    at = text.raw.indexOf(body, at + 1);
  }
  return [...found.values()];
}

function passageAt(text: TextLines, first: number, sent: readonly string[]): IndentedPassage | undefined {
  const last = first + sent.length - 1;
  if (last > text.lineCount + 1 || (last > text.lineCount && sent.at(-1) !== '')) return undefined;
  const lines = sent.map((_, index) => text.line(first + index));
  let [start, end] = [text.start(first), text.start(last)];
  for (const [index, line] of sent.entries()) {
    const there = lines[index] ?? '';
    const [body, bodyThere] = [line.trimEnd(), there.trimEnd()];
    const isLast = index === sent.length - 1;
    if (isLast && line === '') {
      if (text.ending(last - 1) === '') return undefined;
      continue; // a break at the end
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
    change: { says: '', reindent: (fresh) => withBlanksOf(lines, sent, fresh), isIndented: () => false },
  };
}

/** Whether the line ends with the text, and not in the middle of a word: "30" is not meant where the line ends with 130. */
function isRestOf(line: string, text: string): boolean {
  if (!line.endsWith(text)) return false;
  const before = line.slice(0, line.length - text.length);
  return !(/\w$/.test(before) && /^\w/.test(text));
}

/** Lines of the new text that were sent as they stay keep the blanks that they have in the file. */
function withBlanksOf(lines: readonly string[], sent: readonly string[], fresh: string): string {
  let next = 1; // the first and the last line may be parts of lines
  return fresh
    .split('\n')
    .map((line, index, all) => {
      if (index === 0 || index === all.length - 1) return line;
      const at = sent.indexOf(line, next);
      if (at === -1 || at === sent.length - 1) return line;
      next = at + 1;
      return lines[at] ?? line;
    })
    .join('\n');
}
