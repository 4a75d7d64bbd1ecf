import { countEndings, forEachEnding } from '../../../platform/text/line-endings.js';

/** A text as it is, with a way to its lines, whatever ends them. */
export interface TextLines {
  raw: string;
  /** The 1-based line that an offset is in; an ending is in the line that it ends. */
  lineAt(offset: number): number;
  /** The offset at which a line begins; the text's end for those below the last. */
  start(number: number): number;
  /** A line without its ending. */
  line(number: number): string;
  /** What ends the line; empty for a last line without an ending. */
  ending(number: number): string;
  /** How many lines there are; an ending at the end of the text begins no further line. */
  lineCount: number;
}

export function textLines(raw: string): TextLines {
  // Numbers of fixed width, since a text of 64 MB may have as many lines.
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
