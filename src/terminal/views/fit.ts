// Turns untrusted text into lines that fit: every view passes external text through `cleanLine` or `cleanLines`.
import { sliceByColumn, visibleWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui';
import { visibleLines } from '../../platform/text/visible-lines.js';

const TAB_COLUMNS = 4;

/** The text on one line, with invisible characters made visible. */
export const cleanLine = (text: string): string => cleanLines(text).join('⏎');

/** The lines of a text, with invisible characters made visible. A final line feed does not start another line. */
export const cleanLines = (text: string): string[] => visibleLines(text).map(expandTabs);

/** Expands tabs to tab stops, as editors do. */
export function expandTabs(line: string): string {
  if (!line.includes('\t')) return line;
  let out = '';
  let columns = 0;
  for (const [index, piece] of line.split('\t').entries()) {
    const blanks = index > 0 ? TAB_COLUMNS - (columns % TAB_COLUMNS) : 0;
    out += `${' '.repeat(blanks)}${piece}`;
    columns += blanks + visibleWidth(piece);
  }
  return out;
}

/** Truncates a line to the width. */
export function cut(line: string, width: number): string {
  if (visibleWidth(line) <= width) return line;
  if (width <= 0) return '';
  const kept = sliceByColumn(line, 0, width - 1, true);
  return kept.includes('\u001b') ? `${kept}\u001b[0m…` : `${kept}…`;
}

/**
 * Hints on one line. If there is not enough space, whole hints are left out: the last ones first, then those that are
 * needed, which by default are the first one and how to leave.
 */
export function fitHints(
  hints: readonly string[],
  width: number,
  isNeeded = (hint: string): boolean => hint === hints[0] || hint.startsWith('esc'),
): string {
  let left = [...hints];
  while (left.length > 1 && visibleWidth(left.join(HINT_SEPARATOR)) > width) {
    const spare = left.findLastIndex((hint) => !isNeeded(hint));
    left = left.toSpliced(spare === -1 ? left.length - 1 : spare, 1);
  }
  return cut(left.join(HINT_SEPARATOR), width);
}

export const HINT_SEPARATOR = ' · ';

/** Truncates a line in its middle: the end of a path says more than its middle. */
export function fitMiddle(line: string, width: number): string {
  const total = visibleWidth(line);
  if (total <= width || width < 5) return cut(line, width);
  const end = Math.ceil((width - 1) / 2);
  return `${sliceByColumn(line, 0, width - 1 - end, true)}…${sliceByColumn(line, total - end, end, true)}`;
}

/** Wraps a line; continuation lines start with `hanging`. */
export function wrap(line: string, width: number, hanging = ''): string[] {
  if (visibleWidth(line) <= width) return [line];
  const room = Math.max(1, width - visibleWidth(hanging));
  return wrapTextWithAnsi(line, room).map((each, index) => (index === 0 ? each : `${hanging}${each}`));
}

/** Splits plain text into pieces of at most this width and keeps every space: code must not be wrapped at words. */
export function chop(text: string, width: number, maxPieces = 50): string[] {
  const room = Math.max(2, width); // the widest character has two columns
  if (visibleWidth(text) <= room) return [text];
  const pieces: string[] = [];
  let piece = '';
  let used = 0;
  for (const character of text) {
    const columns = visibleWidth(`${piece}${character}`) - used; // 0 for a combining character
    if (used + columns > room) {
      if (pieces.length + 1 === maxPieces) return [...pieces, cut(text.slice(pieces.join('').length), room)];
      pieces.push(piece);
      piece = '';
      used = 0;
    }
    piece += character;
    used = visibleWidth(piece);
  }
  return [...pieces, piece];
}

/**
 * Splits a line of code into pieces of at most this width, where possible between words. Nothing is left out unless
 * there would be more pieces than `maxPieces`. Pieces after the first are narrower by `hang`, for an indentation.
 */
export function chopCode(text: string, width: number, hang = 0, maxPieces = MAX_PIECES): string[] {
  if (visibleWidth(text) <= width) return [text];
  const pieces: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const room = Math.max(2, pieces.length === 0 ? width : width - hang);
    if (pieces.length + 1 === maxPieces) return [...pieces, cut(rest, room)];
    const isPlain = /^[ -~]*$/.test(rest.slice(0, room + 1)); // then every character has one column
    const [widest = ''] = isPlain ? [rest.slice(0, room)] : chop(rest.slice(0, room * LONGEST_CHARACTER), room, 2);
    const piece = widest.length === rest.length ? rest : withoutHalfWord(widest);
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return pieces;
}

const MAX_PIECES = 50;
const LONGEST_CHARACTER = 16; // in code units, with what is combined to it; a longer one is split

/** Ends with a blank or a sign in its last half, if there is one. */
function withoutHalfWord(piece: string): string {
  const blank = piece.lastIndexOf(' ');
  if (blank + 1 > piece.length / 2) return piece.slice(0, blank + 1);
  const end = Math.max(...[',', ';', '(', '{', '[', '.', '|', '&', '/', '='].map((sign) => piece.lastIndexOf(sign)));
  return end + 1 > piece.length / 2 ? piece.slice(0, end + 1) : piece;
}

export const padEnd = (line: string, width: number): string =>
  `${line}${' '.repeat(Math.max(0, width - visibleWidth(line)))}`;

/** `left` and `right` at the two ends of a line; if there is not enough space, `left` is truncated. */
export function spread(left: string, right: string, width: number): string {
  const room = width - visibleWidth(right) - 1;
  if (room < 8) return cut(left, width);
  return `${padEnd(cut(left, room), room)} ${right}`;
}
