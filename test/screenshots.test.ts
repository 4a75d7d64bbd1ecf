import { expect, test } from 'vitest';
import { drawSvg } from '../scripts/screenshots/draw-svg.mjs';

const FIRST_COLUMN = 18;
const CELL = 8.4;

interface Stretch {
  column: number;
  columns: number;
  text: string;
  css: string;
}

/** The stretches of text of a picture, with the style that holds for each. */
function stretchesOf(svg: string): Stretch[] {
  const styles = new Map([...svg.matchAll(/\.(s\d+)\{([^}]*)\}/g)].map(([, name = '', css = '']) => [name, css]));
  const spans = svg.matchAll(/<tspan class="(s\d+)" x="([\d.]+)" textLength="([\d.]+)"[^>]*>([^<]*)<\/tspan>/g);
  return [...spans].map(([, name = '', x, length, text = '']) => ({
    column: Math.round((Number(x) - FIRST_COLUMN) / CELL),
    columns: Math.round(Number(length) / CELL),
    text,
    css: styles.get(name) ?? '',
  }));
}

const drawn = (screen: string) => drawSvg(screen, { title: 'a window', about: 'a test', columns: 40 });

test.each([
  ['1', 'fill:#d7dae0;font-weight:700'],
  ['2', 'fill:#d7dae0;fill-opacity:.6'],
  ['3;4', 'fill:#d7dae0;font-style:italic;text-decoration:underline'],
  ['9', 'fill:#d7dae0;text-decoration:line-through'],
  ['31', 'fill:#e06c75'],
  ['92', 'fill:#b1d896'],
  ['38;5;110', 'fill:#87afd7'],
  ['38;5;245', 'fill:#8a8a8a'],
  ['38;2;1;2;255', 'fill:#0102ff'],
  ['38:5:203', 'fill:#ff5f5f'],
  ['7', 'fill:#16181d'],
])('a screenshot has the style of the escape code %s', (code, css) => {
  const [styled, plain] = stretchesOf(drawn(`\u001b[${code}mA\u001b[0mB`));
  expect(styled).toEqual({ column: 0, columns: 1, text: 'A', css });
  expect(plain).toEqual({ column: 1, columns: 1, text: 'B', css: 'fill:#d7dae0' });
});

test('a style continues in the next row, and a background is a box behind the text', () => {
  const svg = drawn('\u001b[48;5;22;38;5;194mone\ntwo\u001b[49m!');
  expect(stretchesOf(svg).map(({ text, css }) => [text, css])).toEqual([
    ['one', 'fill:#d7ffd7'],
    ['two', 'fill:#d7ffd7'],
    ['!', 'fill:#d7ffd7'],
  ]);
  expect(svg.match(/<rect [^>]*fill="#005f00"\/>/g)).toHaveLength(2);
});

test('a wide character takes two columns, and the next one starts after them', () => {
  expect(stretchesOf(drawn('価b')).map(({ column, columns, text }) => [column, columns, text])).toEqual([
    [0, 2, '価'],
    [2, 1, 'b'],
  ]);
});

test('XML characters are escaped, and box-drawing characters become shapes', () => {
  const svg = drawn('a <b> & "c"\n──┐');
  expect(svg).toContain('>a &lt;b&gt; &amp; &quot;c&quot;</tspan>');
  expect(svg.match(/<path [^>]*stroke="#d7dae0"\/>/g)).toHaveLength(2);
});
