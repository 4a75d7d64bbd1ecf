// Views name the meaning of a text, never a colour. The theme maps it to a style. `mono` has bold and dim text but no
// colours, and `none` has no styles at all, so every view must be understandable by its text and symbols alone.
import { visibleWidth } from '@earendil-works/pi-tui';
import {
  type ColorRole,
  type GroundRole,
  groundOn,
  nearestIndexed,
  type PaletteName,
  palettes,
  type Rgb,
  rgbOf,
} from './palettes.js';

const ANSWER_MS = 500; // a remote terminal may be slow, and only the colours wait for it

/** What a user can choose; `auto` and `colorblind` follow the terminal's background. */
export const themeNames = ['auto', 'dark', 'light', 'colorblind', 'none'] as const;

/** The styles in use. */
export type ThemeName = PaletteName | 'mono' | 'none';

/** The meaning of a piece of text. */
export type Role =
  | ColorRole
  | 'strong'
  | 'selected'
  | 'danger'
  | 'plan'
  | 'heading'
  | 'addedPart'
  | 'removedPart'
  | 'italic'
  | 'underline'
  | 'struck';

export type Paint = Readonly<Record<Role, (text: string) => string>>;

/** 16, 256 or 16 million colours. */
export type ColorDepth = 'basic' | 'many' | 'true';

export interface ThemeChoice {
  name: ThemeName;
  depth: ColorDepth;
}

export interface ThemeFacts {
  /** The setting `theme`; anything but a known name counts as `auto`. */
  setting?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** The terminal's reply to a query for its background. */
  background?: Rgb | undefined;
}

/** FORCE_COLOR overrides NO_COLOR, and both override the setting: they apply to this one run. */
export function chooseTheme({ setting, env, background }: ThemeFacts): ThemeChoice {
  const forced = env['FORCE_COLOR'];
  const depth = depthOf(env);
  if (forced === '0' || forced === 'false') return { name: 'mono', depth };
  const isForced = forced !== undefined;
  if (!isForced && env['TERM'] === 'dumb') return { name: 'none', depth };
  if (!isForced && env['NO_COLOR']) return { name: 'mono', depth };
  const isLight = background ? isLightColor(background) : isLightByEnvironment(env['COLORFGBG']);
  const named = setting === 'none' && isForced ? 'auto' : setting;
  return { name: themeFor(named, isLight ? 'light' : 'dark'), depth };
}

/** The styles of a chosen theme on a dark or a light background; an unknown choice counts as `auto`. */
export function themeFor(setting: string | undefined, background: 'dark' | 'light'): ThemeName {
  if (setting === 'none') return 'mono';
  if (setting === 'dark' || setting === 'light') return setting;
  return setting === 'colorblind' ? `${background}-colorblind` : background;
}

function depthOf(env: ThemeFacts['env']): ColorDepth {
  const forced = env['FORCE_COLOR'];
  if (forced === '1') return 'basic';
  if (forced === '2') return 'many';
  if (forced === '3' || hasTrueColor(env)) return 'true';
  const hasMany = /256/.test(env['TERM'] ?? '') || env['COLORTERM'] !== undefined;
  return hasMany || env['TERM_PROGRAM'] !== undefined ? 'many' : 'basic';
}

function hasTrueColor(env: ThemeFacts['env']): boolean {
  if (/^(?:truecolor|24bit)$/i.test(env['COLORTERM'] ?? '')) return true;
  if (env['TMUX']) return false; // it may run in another terminal than the one that set the other variables
  const isKnown = /kitty|ghostty|alacritty|direct/.test(env['TERM'] ?? '') || env['WT_SESSION'] !== undefined;
  return isKnown || /^(?:iTerm\.app|WezTerm|ghostty|vscode)$/.test(env['TERM_PROGRAM'] ?? '');
}

/**
 * Whether the terminal is known to support OSC 8 links. Others may show garbage; tmux is not queried, since that could
 * take a quarter of a second.
 */
export function supportsLinks(env: ThemeFacts['env']): boolean {
  if (env['TMUX'] || /^(?:tmux|screen|dumb|linux)/.test(env['TERM'] ?? '')) return false;
  const known = [
    'KITTY_WINDOW_ID',
    'GHOSTTY_RESOURCES_DIR',
    'WEZTERM_PANE',
    'ITERM_SESSION_ID',
    'WT_SESSION',
    'VTE_VERSION',
  ];
  if (known.some((name) => env[name])) return true;
  return /kitty|ghostty|wezterm|iterm|alacritty|vscode|zed|warp/i.test(
    `${env['TERM_PROGRAM'] ?? ''} ${env['TERM'] ?? ''}`,
  );
}

/** By perceived brightness. */
const isLightColor = ({ r, g, b }: Rgb): boolean => 0.299 * r + 0.587 * g + 0.114 * b > 140;

/** `15;0` is white on black: the last number is the background. */
function isLightByEnvironment(colors: string | undefined): boolean {
  const background = Number(colors?.split(';').at(-1) ?? Number.NaN);
  return background === 7 || (background >= 9 && background <= 15);
}

/**
 * Queries the terminal's background, and switches the theme if it does not fit. Returns whether it did; then everything
 * must be redrawn. If the terminal does not reply in time, the theme stays.
 */
export async function followBackground(
  theme: Theme,
  facts: Omit<ThemeFacts, 'background'>,
  ask: (options: { timeoutMs: number }) => Promise<Rgb | undefined>,
): Promise<boolean> {
  const isSettled =
    chooseTheme({ ...facts, background: black }).name === chooseTheme({ ...facts, background: white }).name;
  if (isSettled) return false; // the user has chosen one
  const background = await ask({ timeoutMs: ANSWER_MS });
  if (!background) return false;
  const { name } = chooseTheme({ ...facts, background });
  if (name === theme.name && theme.isOn(background)) return false;
  theme.use(name, background);
  return true;
}

const black: Rgb = { r: 0, g: 0, b: 0 };
const white: Rgb = { r: 255, g: 255, b: 255 };

/**
 * The current theme. Views keep this object and read `paint` whenever they draw, so that a change reaches all of them.
 */
export class Theme {
  #choice: ThemeChoice;
  #background: Rgb | undefined;
  #paint: Paint;
  #grounds: Grounds;
  /** Whether addresses are written as OSC 8 links. */
  readonly links: boolean;

  constructor(choice: ThemeChoice, { links = false }: { links?: boolean } = {}) {
    this.#choice = choice;
    this.#paint = paintOf(choice);
    this.#grounds = groundsOf(choice, undefined);
    this.links = links;
  }

  get name(): ThemeName {
    return this.#choice.name;
  }

  get paint(): Paint {
    return this.#paint;
  }

  get hasColors(): boolean {
    return this.name !== 'none' && this.name !== 'mono';
  }

  /** Whether lines can have a background; without one, a view sets them off by symbols or text colours. */
  get hasGrounds(): boolean {
    return this.#grounds !== undefined;
  }

  /** Whether the terminal's background is light, as far as it is known. */
  get isLight(): boolean {
    return this.#background ? isLightColor(this.#background) : this.name.startsWith('light');
  }

  /** Whether the grounds are made for this background. */
  isOn({ r, g, b }: Rgb): boolean {
    const own = this.#background;
    return own !== undefined && own.r === r && own.g === g && own.b === b;
  }

  /** Everything must be redrawn after this. `background` is the terminal's, if it has reported it. */
  use(name: ThemeName, background = this.#background): void {
    this.#choice = { ...this.#choice, name };
    this.#background = background;
    this.#paint = paintOf(this.#choice);
    this.#grounds = groundsOf(this.#choice, background);
  }

  /**
   * The text on a background that is filled up to the width, and reaches the right edge of the window. The rest is erased
   * in its colour, not filled with spaces: a terminal that becomes narrower would wrap those. The text must not reach the
   * edge itself: erasing would take its last character.
   */
  bar(role: GroundRole, text: string, width: number): string {
    const filled = this.on(role, text, width);
    return this.#grounds === undefined ? filled : `${filled.slice(0, -GROUND_END.length)}\u001b[K${GROUND_END}`;
  }

  /** The text on a background, filled up to the width; styles within the text may reset the background. */
  on(role: GroundRole, text: string, width = 0): string {
    const open = this.#grounds?.[role];
    if (open === undefined) return text;
    const blank = ' '.repeat(Math.max(0, width - visibleWidth(text)));
    return `${open}${text.replaceAll(ENDS_GROUND, (end) => `${end}${open}`)}${blank}${GROUND_END}`;
  }
}

const GROUND_END = '\u001b[49m';

// A colour may end in 49 as well, as `48;2;92;40;49` does.
// biome-ignore lint/suspicious/noControlCharactersInRegex: styles are written with them
const ENDS_GROUND = /\u001b\[(?![\d;]*[345]8;)(?:0|(?:\d+;)*49)?m/g;

type Grounds = Readonly<Record<GroundRole, string>> | undefined;

type Style = readonly [open: string, close: string];

const plain: Style = ['', ''];
const bold: Style = ['1', '22'];
const dim: Style = ['2', '22'];
const italic: Style = ['3', '23'];
const underline: Style = ['4', '24'];
const inverse: Style = ['7', '27'];
const struck: Style = ['9', '29'];
const basic = (number: number): Style => [String(number), '39'];

/** Roles that are styled alike in each palette, from the palette's colours. */
const derived = {
  /** Plan mode, wherever it is shown. */
  plan: [undefined, 'keyword'],
  strong: [bold],
  selected: [bold, 'accent'],
  danger: [bold, 'failure'],
  heading: [bold, 'accent'],
  addedPart: [inverse, 'added'],
  removedPart: [inverse, 'removed'],
  italic: [italic],
  underline: [underline],
  struck: [struck],
} as const satisfies Readonly<
  Record<Exclude<Role, ColorRole>, readonly [Style, ColorRole?] | readonly [undefined, ColorRole]>
>;

/** The colours of a terminal that has only 16, whose values its user has chosen. */
const sixteen: Readonly<Record<ColorRole, Style>> = {
  muted: dim,
  accent: basic(36),
  success: basic(32),
  warning: basic(33),
  failure: basic(31),
  border: dim,
  user: plain,
  link: basic(34),
  quote: dim,
  code: basic(36),
  keyword: basic(35),
  string: basic(32),
  number: basic(33),
  comment: dim,
  function: basic(34),
  type: basic(36),
  added: basic(32),
  removed: basic(31),
};

/** Without colours: what others say by colour, bold, dim and underlined text say here as far as they can. */
const colorless: Readonly<Record<Role, Style>> = {
  muted: dim,
  accent: plain,
  success: plain,
  warning: bold,
  failure: bold,
  border: dim,
  user: bold,
  link: underline,
  quote: dim,
  code: plain,
  keyword: plain,
  string: plain,
  number: plain,
  comment: dim,
  function: plain,
  type: plain,
  added: plain,
  removed: plain,
  strong: bold,
  selected: bold,
  danger: both(bold, inverse),
  plan: bold,
  heading: bold,
  addedPart: underline,
  removedPart: underline,
  italic,
  underline,
  struck,
};

function both([open, close]: Style, [innerOpen, innerClose]: Style): Style {
  return [`${open};${innerOpen}`, `${innerClose};${close}`];
}

function paintOf({ name, depth }: ThemeChoice): Paint {
  const styleOf = (role: Role): Style => {
    if (name === 'none') return plain;
    if (name === 'mono') return colorless[role];
    if (!isDerived(role)) return colorStyle(name, depth, role);
    const [style, color] = derived[role];
    if (color === undefined) return style;
    const colored = colorStyle(name, depth, color);
    return style === undefined ? colored : both(style, colored);
  };
  // `colorless` has every role, so each has its painter.
  return Object.fromEntries(Object.keys(colorless).map((role) => [role, painter(styleOf(role as Role))])) as Paint;
}

const isDerived = (role: Role): role is keyof typeof derived => role in derived;

function colorStyle(name: PaletteName, depth: ColorDepth, role: ColorRole): Style {
  if (depth === 'basic') return sixteen[role];
  const color = rgbOf(palettes[name].colors[role]);
  return [`38;${codeOf(color, depth)}`, '39'];
}

/** The start of each background; undefined where there is none that text of any colour can be read on. */
function groundsOf({ name, depth }: ThemeChoice, background: Rgb | undefined): Grounds {
  if (name === 'none' || name === 'mono' || depth === 'basic') return undefined;
  const { grounds, background: made } = palettes[name];
  // Without the terminal's answer, or where the user has chosen the other brightness, the palette's own grounds.
  const fits = background !== undefined && isLightColor(background) === name.startsWith('light');
  const starts = Object.entries(grounds).map(([role, [color, indexed]]) => {
    const ground = fits ? groundOn(color, made, background) : rgbOf(color);
    return [role, `\u001b[48;${depth === 'true' ? codeOf(ground, depth) : `5;${indexed}`}m`];
  });
  // `grounds` of a palette has every role.
  return Object.fromEntries(starts) as Grounds;
}

const codeOf = (color: Rgb, depth: ColorDepth): string =>
  depth === 'true' ? `2;${color.r};${color.g};${color.b}` : `5;${nearestIndexed(color)}`;

const painter =
  ([open, close]: Style) =>
  (text: string): string =>
    open === '' || text === '' ? text : `\u001b[${open}m${text}\u001b[${close}m`;
