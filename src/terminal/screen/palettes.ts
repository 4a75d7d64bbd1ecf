// The colours of the themes. A text colour is read on the terminal's own background and on the grounds of its palette;
// palettes.test.ts checks the contrast of each.

export interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** Roles that have a colour of their own in each palette. */
export type ColorRole =
  | 'muted'
  | 'accent'
  | 'success'
  | 'warning'
  | 'failure'
  | 'border'
  | 'user'
  | 'link'
  | 'quote'
  | 'code'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'function'
  | 'type'
  | 'added'
  | 'removed';

/** Backgrounds behind whole lines or parts of them. */
export type GroundRole = 'prompt' | 'code' | 'added' | 'removed' | 'addedPart' | 'removedPart';

/** A colour, and the nearest of the 256 where the computed one would lose the hue. */
type Ground = readonly [color: string, indexed: number];

export interface Palette {
  /** The background that the grounds are made for. */
  background: string;
  /** The usual text colour of terminals with that background. */
  text: string;
  colors: Readonly<Record<ColorRole, string>>;
  grounds: Readonly<Record<GroundRole, Ground>>;
}

export type PaletteName = 'dark' | 'light' | 'dark-colorblind' | 'light-colorblind';

const dark: Palette = {
  background: '#16181d',
  text: '#d7dae0',
  colors: {
    muted: '#9499a5',
    accent: '#e6b65c',
    success: '#8fc873',
    warning: '#f3985f',
    failure: '#f47f86',
    border: '#4b505a',
    user: '#eceef2',
    link: '#82b7f2',
    quote: '#adb2bd',
    code: '#8fcbd8',
    keyword: '#cba4f2',
    string: '#a9d18e',
    number: '#f0ac80',
    comment: '#a9b0bb',
    function: '#8abcf4',
    type: '#78ccc4',
    added: '#8fc873',
    removed: '#f47f86',
  },
  grounds: {
    prompt: ['#322e24', 236],
    code: ['#1f2229', 235],
    added: ['#15301f', 22],
    removed: ['#3b1c22', 52],
    addedPart: ['#1e4b2f', 28],
    removedPart: ['#5c2831', 88],
  },
};

const light: Palette = {
  background: '#fdfdfc',
  text: '#24272e',
  colors: {
    muted: '#666a73',
    accent: '#8a5800',
    success: '#25702a',
    warning: '#a84700',
    failure: '#bb2833',
    border: '#c9c8c2',
    user: '#17191d',
    link: '#1b5aa8',
    quote: '#5b6069',
    code: '#0d606e',
    keyword: '#7436ab',
    string: '#276b2c',
    number: '#954500',
    comment: '#565b64',
    function: '#1b5aa8',
    type: '#0b6660',
    added: '#25702a',
    removed: '#bb2833',
  },
  grounds: {
    prompt: ['#f3eee2', 255],
    code: ['#f4f4f1', 255],
    added: ['#e4f4e2', 194],
    removed: ['#fbe7e7', 224],
    addedPart: ['#c9e9c6', 157],
    removedPart: ['#f9dadb', 217],
  },
};

/** Without red and green: blue is good or added, orange is bad or removed. */
export const palettes: Readonly<Record<PaletteName, Palette>> = {
  dark,
  light,
  'dark-colorblind': {
    ...dark,
    colors: {
      ...dark.colors,
      accent: '#d5b3f2',
      success: '#7ab8f5',
      warning: '#e8d06a',
      failure: '#ff9f5c',
      string: '#8fc4f2',
      number: '#e8d06a',
      added: '#7ab8f5',
      removed: '#ff9f5c',
    },
    grounds: {
      ...dark.grounds,
      prompt: ['#2f2b37', 236],
      added: ['#12293f', 17],
      removed: ['#3a2410', 94],
      addedPart: ['#1b3f63', 24],
      removedPart: ['#5c3a18', 130],
    },
  },
  'light-colorblind': {
    ...light,
    colors: {
      ...light.colors,
      accent: '#6f3aa6',
      success: '#14569f',
      warning: '#6b5a00',
      failure: '#9c4300',
      string: '#14569f',
      number: '#6b5a00',
      added: '#14569f',
      removed: '#9c4300',
    },
    grounds: {
      ...light.grounds,
      prompt: ['#f1edf6', 255],
      added: ['#e0eefb', 195],
      removed: ['#fdebd9', 230],
      addedPart: ['#c2ddf7', 153],
      removedPart: ['#fad3ab', 223],
    },
  },
};

export function rgbOf(hex: string): Rgb {
  const number = Number.parseInt(hex.slice(1), 16);
  return { r: (number >> 16) & 255, g: (number >> 8) & 255, b: number & 255 };
}

/**
 * A ground for a terminal whose background differs from that of the palette: as far from it as the ground is from the
 * background that it was made for.
 */
export function groundOn(ground: string, made: string, background: Rgb): Rgb {
  const [wanted, from] = [rgbOf(ground), rgbOf(made)];
  const moved = (part: keyof Rgb): number =>
    Math.min(255, Math.max(0, Math.round(background[part] + wanted[part] - from[part])));
  return { r: moved('r'), g: moved('g'), b: moved('b') };
}

const STEPS = [0, 95, 135, 175, 215, 255] as const;

/** The nearest of the 240 fixed colours of a terminal with 256. */
export function nearestIndexed(color: Rgb): number {
  const step = (part: number): number =>
    STEPS.reduce<number>(
      (best, value, index) => (Math.abs(value - part) < Math.abs((STEPS[best] ?? 0) - part) ? index : best),
      0,
    );
  const [r, g, b] = [step(color.r), step(color.g), step(color.b)];
  const gray = Math.min(23, Math.max(0, Math.round(((color.r + color.g + color.b) / 3 - 8) / 10)));
  const cube = { r: STEPS[r] ?? 0, g: STEPS[g] ?? 0, b: STEPS[b] ?? 0 };
  const level = 8 + gray * 10;
  return distance(color, cube) <= distance(color, { r: level, g: level, b: level })
    ? 16 + 36 * r + 6 * g + b
    : 232 + gray;
}

const distance = (one: Rgb, other: Rgb): number =>
  (one.r - other.r) ** 2 + (one.g - other.g) ** 2 + (one.b - other.b) ** 2;
