// The output of a program, with its colours.
import { styledLines } from '../../platform/text/safe-styles.js';

const MAX_LINES = 1_000; // that are drawn; the log itself is kept elsewhere
const MAX_LINE_CHARS = 5_000;

export function Output({ text, isDim }: { text: string; isDim?: boolean }) {
  const all = text.replace(/\n$/, '').split('\n');
  const shown = all.slice(0, MAX_LINES).map((line) => line.slice(0, MAX_LINE_CHARS));
  const lines = styledLines(shown.join('\n'), { colors: true });
  return (
    <pre class={isDim ? 'output dim' : 'output'} tabIndex={0} role="group" aria-label="Output">
      {lines.map((line, index) => (
        <span key={index} class="line">
          {piecesOf(line).map(({ text: piece, classes }, at) =>
            classes === '' ? (
              piece
            ) : (
              <span key={at} class={classes}>
                {piece}
              </span>
            ),
          )}
          {'\n'}
        </span>
      ))}
      {all.length > MAX_LINES && (
        <span class="muted" data-hidden={all.length - MAX_LINES}>
          … {all.length - MAX_LINES} more lines
        </span>
      )}
    </pre>
  );
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/** `styledLines` leaves only codes of styles, and each line sets its own. */
function piecesOf(line: string): Array<{ text: string; classes: string }> {
  const pieces: Array<{ text: string; classes: string }> = [];
  let classes = '';
  let from = 0;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: styles are written with them
  for (const found of line.matchAll(/\u001b\[([\d;]*)m/g)) {
    if (found.index > from) pieces.push({ text: line.slice(from, found.index), classes });
    from = found.index + found[0].length;
    classes = classesOf(found[1] ?? '');
  }
  if (from < line.length) pieces.push({ text: line.slice(from), classes });
  return pieces;
}

/** Of the 256 and 16 million colours only the nearest of the 16 would fit the page, so they are left out. */
function classesOf(codes: string): string {
  const classes: string[] = [];
  const numbers = codes.split(';').map(Number);
  for (let index = 0; index < numbers.length; index += 1) {
    const code = numbers[index] ?? 0;
    if (code === 38 || code === 48) index += numbers[index + 1] === 5 ? 2 : 4;
    else if (code === 1) classes.push('ansi-bold');
    else if (code === 2) classes.push('ansi-dim');
    else if (code === 3) classes.push('ansi-italic');
    else if (code === 4) classes.push('ansi-underline');
    else if (code === 7) classes.push('ansi-inverse');
    else if (code >= 30 && code <= 37) classes.push(`ansi-${names[code - 30]}`);
    else if (code >= 90 && code <= 97) classes.push(`ansi-${names[code - 90]}`);
  }
  return classes.join(' ');
}
