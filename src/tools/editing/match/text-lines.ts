import { countEndings, forEachEnding } from '../../../platform/text/line-endings.js';

/** A text with access to its lines, with any line endings. */
export interface TextLines {
  raw: string;
  /** The 1-based line of an offset; a line ending belongs to the line that it ends. */
  lineAt(offset: number): number;
  /** The offset at which a line starts; the text's end for lines after the last. */
  start(number: number): number;
  /** A line without its ending. */
  line(number: number): string;
  /** The line's ending; empty for a last line without one. */
  ending(number: number): string;
  /** The number of lines; an ending at the end of the text does not start another line. */
  lineCount: number;
}

export function textLines(raw: string): TextLines {
  // A typed array, since a text of 64 MB may have as many lines.
  const starts = new Uint32Array(countEndings(raw) + 1);
  let lines = 1;
  forEachEnding(raw, (_, end) => {
    starts[lines] = end;
    lines += 1;
  });

  const startOf = (number: number): number => starts[number - 1] ?? raw.length;
  const ending = (number: number): string => {
    if (number < 1 || number >= starts.length) return '';
    const end = startOf(number + 1);
    if (raw[end - 1] === '\r') return '\r';
    return raw[end - 2] === '\r' ? '\r\n' : '\n';
  };
  return {
    raw,
    lineAt(offset) {
      let [low, high] = [0, starts.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((starts[middle] ?? 0) <= offset) low = middle + 1;
        else high = middle;
      }
      return low;
    },
    start: startOf,
    line: (number) => raw.slice(startOf(number), startOf(number + 1) - ending(number).length),
    ending,
    lineCount: starts.length - (startOf(starts.length) === raw.length ? 1 : 0),
  };
}
