// Lines and blocks as shapes, as many terminals draw them: those of a font leave gaps between cells and rows.

/** Which edges of its cell a line reaches from the middle: left, right, up, down. */
const lines = {
  '─': 'lr',
  '│': 'ud',
  '┌': 'rd',
  '┐': 'ld',
  '└': 'ru',
  '┘': 'lu',
  '├': 'rud',
  '┤': 'lud',
  '┬': 'lrd',
  '┴': 'lru',
  '┼': 'lrud',
  '╭': 'rd',
  '╮': 'ld',
  '╰': 'ru',
  '╯': 'lu',
};

const shades = { '█': 1, '▓': 0.75, '▒': 0.5, '░': 0.22 };

export const isShape = (character) => character in lines || character in shades;

/** A stretch of lines, or of one kind of block, with its top left corner at `x` and `y`. */
export function drawShapes(text, { x, y, cell, row, fill }) {
  const [character] = text;
  const width = short(text.length * cell);
  if (character in shades) {
    const shade = shades[character] === 1 ? '' : ` opacity="${shades[character]}"`;
    return `<rect x="${short(x)}" y="${y + 3}" width="${width}" height="${row - 6}" fill="${fill}"${shade}/>`;
  }
  const middle = y + row / 2;
  const ends = { l: `h${short(-cell / 2)}`, r: `h${short(cell / 2)}`, u: `v${-row / 2}`, d: `v${row / 2}` };
  const strokes = [...text].flatMap((each, index) =>
    [...lines[each]].map((edge) => `M${short(x + (index + 0.5) * cell)} ${middle}${ends[edge]}`),
  );
  const path = character === '─' ? `M${short(x)} ${middle}h${width}` : strokes.join('');
  return `<path d="${path}" fill="none" stroke="${fill}"/>`;
}

/** A length with one decimal at most. */
export const short = (number) => String(Math.round(number * 10) / 10);
