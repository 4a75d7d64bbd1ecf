// Computes what to write to a terminal so that lines replace other lines. Everything is relative to the cursor, since
// the row in which we started is unknown.
const CLEAR_LINE = '\u001b[2K';
const CLEAR_BELOW = '\u001b[J';
const LINE_END = '\u001b[0m\u001b]8;;\u0007'; // resets styles and links at the end of each line

/** Prevents a line that is too wide, because the window just shrank, from taking a second row. */
const NO_WRAP = '\u001b[?7l';
const WRAP = '\u001b[?7h';
// Terminals that support it show the whole frame at once.
const BEGIN_FRAME = `\u001b[?2026h${NO_WRAP}`;
const END_FRAME = `${WRAP}\u001b[?2026l`;

export const frame = (text: string): string => `${BEGIN_FRAME}${text}${END_FRAME}`;

export interface Painted {
  text: string;
  /** The cursor's line afterwards. */
  row: number;
}

/** Writes the lines that differ from those shown. If there are more lines than fit, the screen scrolls. */
export function paintChanges(wanted: readonly string[], shown: readonly string[], cursorRow: number): Painted {
  const shorter = Math.min(wanted.length, shown.length);
  let first = 0;
  while (first < shorter && wanted[first] === shown[first]) first += 1;
  if (first === wanted.length && first === shown.length) return { text: '', row: cursorRow };
  let last = wanted.length - 1;
  if (wanted.length <= shown.length) while (last > first && wanted[last] === shown[last]) last -= 1;

  // Rows below the last shown line can only be reached by a line feed, which may scroll.
  const from = Math.max(0, Math.min(first, shown.length - 1, wanted.length - 1));
  let text = moveRows(from - cursorRow);
  let row = from;
  for (let index = first; index <= last; index += 1) {
    if (index > row) {
      text += '\r\n';
      row = index;
    }
    if (index < shown.length && wanted[index] === shown[index]) continue;
    text += `\r${CLEAR_LINE}${wanted[index] ?? ''}${LINE_END}`;
  }
  if (wanted.length < shown.length) {
    text += `${moveRows(wanted.length - 1 - row)}\r\n${CLEAR_BELOW}${moveRows(-1)}`;
    row = wanted.length - 1;
  }
  return { text, row };
}

/** Writes all lines, starting `rowsUp` rows above the cursor, and clears everything from there on. */
export function paintAll(wanted: readonly string[], rowsUp: number): Painted {
  // Not cleared in one step from the first row: some terminals then push the screen into the scrollback.
  const clear = `${moveRows(-rowsUp)}\r${CLEAR_LINE}\r\n${CLEAR_BELOW}${moveRows(-1)}\r`;
  return { text: clear + wanted.map((line) => `${line}${LINE_END}`).join('\r\n'), row: Math.max(0, wanted.length - 1) };
}

export const moveRows = (count: number): string => {
  if (count === 0) return '';
  return count > 0 ? `\u001b[${count}B` : `\u001b[${-count}A`;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what styles are written with
const BLANK_END = /(?<! ) +((?:\u001b\[[\d;]*m)*)$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const COLOUR = /\u001b\[38;(?:5;\d+|2;\d+;\d+;\d+)m/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the same
const SEEN_ON_BLANK = /\u001b\[(?:\d+;)*(?:4|7|9|21|4[0-8]|53|10[0-7])(?:[;:]\d+)*m/;

/** Without trailing whitespace: a terminal that becomes narrower would wrap the line because of it. */
export function withoutBlankEnd(line: string): string {
  if (!BLANK_END.test(line) || SEEN_ON_BLANK.test(line.replace(COLOUR, ''))) return line;
  return line.replace(BLANK_END, '$1');
}
