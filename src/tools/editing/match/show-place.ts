import { counted } from '../../../platform/text/counted.js';
import { joinRanges, type LineRange } from './line-ranges.js';
import type { TextLines } from './text-lines.js';

export const CONTEXT_LINES = 5;
const MAX_PLACES = 3;
const MAX_LINES = 60;
const MAX_LINE_CHARS = 300;

/** The lines with their numbers, in Read's format. */
export function showLines(text: TextLines, [first, last]: LineRange): string {
  const shown: string[] = [];
  for (let number = Math.max(1, first); number <= Math.min(last, text.lineCount); number += 1) {
    if (shown.length === MAX_LINES) {
      shown.push(`… (${counted(Math.min(last, text.lineCount) - number + 1, 'more line')})`);
      break;
    }
    const line = text.line(number);
    shown.push(`${number}\t${line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS)} …` : line}`);
  }
  return shown.join('\n');
}

/** The edited places with some context lines. */
export function showPlaces(text: TextLines, places: readonly LineRange[]): string {
  if (text.lineCount === 0) return 'The file is empty now.';
  const around = joinRanges(places.map(([first, last]) => [first - CONTEXT_LINES, last + CONTEXT_LINES]));
  const shown = around.slice(0, MAX_PLACES).map((range) => showLines(text, range));
  const more = around.length - shown.length;
  return `The edited ${around.length === 1 ? 'place' : 'places'}:\n${shown.join('\n…\n')}${more > 0 ? `\n(${counted(more, 'more place')})` : ''}`;
}
