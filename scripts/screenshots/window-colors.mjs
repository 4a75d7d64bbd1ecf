// The colours of the window, and the 256 of a terminal in it.

export const windowColors = {
  dark: {
    background: '#16181d',
    bar: '#1f2228',
    edge: '#33373f',
    text: '#d7dae0',
    title: '#8b919c',
    basic: ['#16181d', '#e06c75', '#98c379', '#d9a85b', '#61a5e8', '#c678dd', '#56b6c2', '#c8ccd4'],
    bright: ['#6b7280', '#ef8891', '#b1d896', '#e9c07d', '#86bdf3', '#d79aeb', '#7bcbd6', '#ffffff'],
  },
  light: {
    background: '#fdfdfc',
    bar: '#f0f0ee',
    edge: '#d4d4d0',
    text: '#24272e',
    title: '#73777f',
    basic: ['#24272e', '#c0303a', '#2f7d32', '#92660a', '#1f5fae', '#8a3ba8', '#0f7381', '#e8e8e6'],
    bright: ['#6b7280', '#d7434d', '#3d9440', '#ab7a14', '#2f74c8', '#a04fc0', '#178a99', '#ffffff'],
  },
};

/** A colour is one of the 256 by its number, or written out, or none. */
export function colorOf(color, { basic, bright }) {
  if (typeof color !== 'number') return color;
  if (color < 16) return color < 8 ? basic[color] : bright[color - 8];
  if (color >= 232) return hex([1, 1, 1].map(() => 8 + (color - 232) * 10));
  const cube = color - 16;
  const parts = [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6];
  return hex(parts.map((part) => (part === 0 ? 0 : 55 + part * 40)));
}

/** Red, green and blue, 0 to 255 each. */
export const hex = (parts) => `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
