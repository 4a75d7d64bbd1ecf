// Draws the content of a terminal, with its colours, as an SVG image of a window. The text stays text, so it can be
// selected and searched. Every run of text has a position and a width, so that columns line up in any font.
import { readScreen } from './read-screen.mjs';
import { drawShapes, short } from './shapes.mjs';
import { colorOf, windowColors } from './window-colors.mjs';

const CELL = 8.4; // the width of a character, as most monospaced fonts have it at this size
const ROW = 20;
const FONT_SIZE = 14;
const PADDING = 18;
const BAR = 34; // the window's title bar
const FONTS = 'ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,Liberation Mono,monospace';
const DOTS = ['#ff5f57', '#febc2e', '#28c840'];

/** `screen` is what `tmux capture-pane -e -p` gives. The image ends with the last row that is not empty. */
export function drawSvg(screen, { title, about, columns, theme = 'dark' }) {
  const colors = windowColors[theme] ?? windowColors.dark; // without colours, on dark
  const rows = readScreen(screen.trimEnd());
  const classes = new Map();
  const classOf = (css) => {
    if (!classes.has(css)) classes.set(css, `s${classes.size}`);
    return classes.get(css);
  };
  const shapes = [];
  const texts = [];
  for (const [index, runs] of rows.entries()) {
    const y = BAR + PADDING - 6 + index * ROW;
    const spans = [];
    for (const { column, columns: wide, text, kind, style } of runs) {
      const { fill, ground, font } = lookOf(style, colors);
      const [x, width] = [PADDING + column * CELL, short(wide * CELL)];
      if (ground) shapes.push(`<rect x="${short(x)}" y="${y}" width="${width}" height="${ROW}" fill="${ground}"/>`);
      if (text.trim() === '') continue;
      if (kind === 'shape') {
        const drawn = drawShapes(text, { x, y, cell: CELL, row: ROW, fill });
        shapes.push(style.dim ? `<g opacity=".6">${drawn}</g>` : drawn);
      }
      const name = classOf(kind === 'shape' ? 'fill:none' : `fill:${fill}${font}`);
      const fit = kind === 'sign' ? ' lengthAdjust="spacingAndGlyphs"' : ''; // it may come from a font that is wider
      spans.push(`<tspan class="${name}" x="${short(x)}" textLength="${width}"${fit}>${escaped(text)}</tspan>`);
    }
    if (spans.length > 0) texts.push(`<text y="${y + 15}">${spans.join('')}</text>`);
  }
  const width = Math.ceil(PADDING * 2 + columns * CELL);
  const height = BAR + PADDING * 2 - 12 + rows.length * ROW;
  const styles = [...classes].map(([css, name]) => `.${name}{${css}}`).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" xml:space="preserve" role="img" aria-label="${escaped(about)}">
<style>text,tspan{white-space:pre}text{font:${FONT_SIZE}px ${FONTS}}${styles}</style>
${frame({ title, width, height, colors })}
${[...shapes, ...texts].join('\n')}
</svg>
`;
}

/** The CSS of a style, with bold, dim and inverse applied to its colours. */
function lookOf({ foreground, background, bold, dim, italic, underline, struck, inverse }, colors) {
  const [front, back] = [colorOf(foreground, colors), colorOf(background, colors)];
  const decoration = [...(underline ? ['underline'] : []), ...(struck ? ['line-through'] : [])].join(' ');
  const font = [
    ...(bold ? ['font-weight:700'] : []),
    ...(italic ? ['font-style:italic'] : []),
    ...(decoration === '' ? [] : [`text-decoration:${decoration}`]),
    ...(dim ? ['fill-opacity:.6'] : []),
  ];
  return {
    fill: inverse ? (back ?? colors.background) : (front ?? colors.text),
    ground: inverse ? (front ?? colors.text) : back,
    font: font.map((rule) => `;${rule}`).join(''),
  };
}

function frame({ title, width, height, colors }) {
  const { background, bar, edge, title: titleColor } = colors;
  const dots = DOTS.map((color, index) => `<circle cx="${20 + index * 20}" cy="17" r="6" fill="${color}"/>`).join('');
  return `<rect x=".5" y=".5" width="${width - 1}" height="${height - 1}" rx="9.5" fill="${background}" stroke="${edge}"/>
<path d="M1 ${BAR}V10a9 9 0 0 1 9-9H${width - 10}a9 9 0 0 1 9 9V${BAR}z" fill="${bar}"/>
${dots}<text x="${width / 2}" y="21.5" text-anchor="middle" fill="${titleColor}" style="font-size:13px">${escaped(title)}</text>`;
}

const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
