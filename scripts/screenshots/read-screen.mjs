// Parses the content of a terminal, text with SGR codes, into rows of runs of one style each.
import { visibleWidth } from '@earendil-works/pi-tui';
import { isShape } from './shapes.mjs';
import { hex } from './window-colors.mjs';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
// biome-ignore lint/suspicious/noControlCharactersInRegex: what codes are made of
const codes = /\u001b\[([0-9;:]*)m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[()][0-9A-B]|[\u000e\u000f]/g;

/** For each row its stretches: column, how many columns, text, style, and its kind: text, sign or shape. */
export function readScreen(screen) {
  let style = {}; // goes on over the end of a row, as it does in a terminal
  return screen.split('\n').map((line) => {
    const runs = [];
    let column = 0;
    let at = 0;
    const add = (text) => {
      for (const { segment } of graphemes.segment(text)) {
        const columns = visibleWidth(segment);
        const [kind, group] = kindOf(segment, columns);
        const last = runs.at(-1);
        if (last && last.group === group && last.style === style) {
          last.text += segment;
          last.columns += columns;
        } else runs.push({ column, columns, text: segment, style, kind, group });
        column += columns;
      }
    };
    for (const match of line.matchAll(codes)) {
      add(line.slice(at, match.index));
      at = match.index + match[0].length;
      if (match[1] !== undefined) style = changed(style, match[1]);
    }
    add(line.slice(at));
    return runs;
  });
}

/** Characters that are drawn as shapes, or may come from another font, get a run of their own. */
function kindOf(segment, columns) {
  if (isShape(segment)) return ['shape', /[─█▓▒░▟▜▙▛▌▐▀▄]/.test(segment) ? segment : 'line'];
  return columns === 1 && /^[\u0020-\u024f‘’“”–—…]+$/u.test(segment) ? ['text', 'letter'] : ['sign', segment];
}

const switches = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { struck: true },
  21: { underline: true },
  22: { bold: undefined, dim: undefined },
  23: { italic: undefined },
  24: { underline: undefined },
  27: { inverse: undefined },
  29: { struck: undefined },
  39: { foreground: undefined },
  49: { background: undefined },
};

/** The style after the numbers of one SGR code. */
function changed(style, text) {
  const numbers = text.replaceAll(':', ';').split(';').map(Number);
  let next = style;
  for (let at = 0; at < numbers.length; at += 1) {
    const number = numbers[at];
    if (number === 0) next = {};
    else if (number === 38 || number === 48) {
      const isIndexed = numbers[at + 1] === 5;
      const color = isIndexed ? numbers[at + 2] : hex(numbers.slice(at + 2, at + 5));
      next = { ...next, [number === 38 ? 'foreground' : 'background']: color };
      at += isIndexed ? 2 : 4;
    } else if (number >= 30 && number <= 37) next = { ...next, foreground: number - 30 };
    else if (number >= 40 && number <= 47) next = { ...next, background: number - 40 };
    else if (number >= 90 && number <= 97) next = { ...next, foreground: number - 82 };
    else if (number >= 100 && number <= 107) next = { ...next, background: number - 92 };
    else next = { ...next, ...switches[number] };
  }
  return next;
}
