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

/** The quarters of a cell: top left, top right, bottom left, bottom right. */
const quarters = {
  '▟': '0111',
  '▜': '1101',
  '▙': '1011',
  '▛': '1110',
  '▌': '1010',
  '▐': '0101',
  '▀': '1100',
  '▄': '0011',
};

export const isShape = (character) => character in lines || character in shades || character in quarters;

/** A stretch of lines, or of one kind of block, with its top left corner at `x` and `y`. */
export function drawShapes(text, { x, y, cell, row, fill }) {
  const [character] = text;
  const width = short(text.length * cell);
  if (character in shades) {
    const shade = shades[character] === 1 ? '' : ` opacity="${shades[character]}"`;
    return `<rect x="${short(x)}" y="${y}" width="${width}" height="${row}" fill="${fill}"${shade} shape-rendering="crispEdges"/>`;
  }
  if (character in quarters) return drawQuarters(text, { x, y, cell, row, fill });
  const middle = y + row / 2;
  const ends = { l: `h${short(-cell / 2)}`, r: `h${short(cell / 2)}`, u: `v${-row / 2}`, d: `v${row / 2}` };
  const strokes = [...text].flatMap((each, index) =>
    [...lines[each]].map((edge) => `M${short(x + (index + 0.5) * cell)} ${middle}${ends[edge]}`),
  );
  const path = character === '─' ? `M${short(x)} ${middle}h${width}` : strokes.join('');
  return `<path d="${path}" fill="none" stroke="${fill}"/>`;
}

function drawQuarters(text, { x, y, cell, row, fill }) {
  const squares = [...text].flatMap((each, index) =>
    [...quarters[each]].flatMap((isFull, place) => {
      if (isFull === '0') return [];
      const [left, top] = [x + (index + (place % 2) / 2) * cell, y + (place < 2 ? 0 : row / 2)];
      return [`M${short(left)} ${short(top)}h${short(cell / 2)}v${row / 2}h${short(-cell / 2)}z`];
    }),
  );
  return `<path d="${squares.join('')}" fill="${fill}" shape-rendering="crispEdges"/>`;
}

/** A length with one decimal at most. */
export const short = (number) => String(Math.round(number * 10) / 10);
