// Views name the meaning of a text, never a colour. The theme maps it to a style; the theme `none` has no styles, so
// every view must be understandable by its text and symbols alone.

const ANSWER_MS = 500; // a remote terminal may be slow, and only the colours wait for it

export const themeNames = ['dark', 'light', 'none'] as const;

export type ThemeName = (typeof themeNames)[number];

/** The meaning of a piece of text. */
export type Role =
  | 'muted'
  | 'strong'
  | 'accent'
  | 'success'
  | 'warning'
  | 'failure'
  | 'selected'
  | 'border'
  | 'user'
  | 'heading'
  | 'link'
  | 'quote'
  | 'code'
  | 'keyword'
  | 'string'
  | 'number'
  | 'comment'
  | 'added'
  | 'removed'
  | 'addedPart'
  | 'removedPart'
  | 'italic'
  | 'underline'
  | 'struck';

export type Paint = Readonly<Record<Role, (text: string) => string>>;

/** 16 or 256 colours. */
export type ColorDepth = 'basic' | 'many';

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

export interface Rgb {
  r: number;
  g: number;
  b: number;
}

/** FORCE_COLOR overrides NO_COLOR, and both override the setting: they apply to this one run. */
export function chooseTheme({ setting, env, background }: ThemeFacts): ThemeChoice {
  const forced = env['FORCE_COLOR'];
  const depth = depthOf(env);
  if (forced === '0' || forced === 'false') return { name: 'none', depth };
  const isForced = forced !== undefined;
  if (!isForced && (env['NO_COLOR'] || env['TERM'] === 'dumb')) return { name: 'none', depth };
  const named = themeNames.find((name) => name === setting);
  if (named && !(named === 'none' && isForced)) return { name: named, depth };
  const isLight = background ? isLightColor(background) : isLightByEnvironment(env['COLORFGBG']);
  return { name: isLight ? 'light' : 'dark', depth };
}

function depthOf(env: ThemeFacts['env']): ColorDepth {
  const forced = env['FORCE_COLOR'];
  if (forced === '1') return 'basic';
  if (forced === '2' || forced === '3') return 'many';
  const hasMany = /256|kitty|ghostty|alacritty|direct/.test(env['TERM'] ?? '') || env['COLORTERM'] !== undefined;
  return hasMany || env['TERM_PROGRAM'] !== undefined || env['WT_SESSION'] !== undefined ? 'many' : 'basic';
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
  if (name === theme.name) return false;
  theme.use(name);
  return true;
}

const black: Rgb = { r: 0, g: 0, b: 0 };
const white: Rgb = { r: 255, g: 255, b: 255 };

/**
 * The current theme. Views keep this object and read `paint` whenever they draw, so that a change reaches all of them.
 */
export class Theme {
  #choice: ThemeChoice;
  #paint: Paint;
  /** Whether addresses are written as OSC 8 links. */
  readonly links: boolean;

  constructor(choice: ThemeChoice, { links = false }: { links?: boolean } = {}) {
    this.#choice = choice;
    this.#paint = paintOf(choice);
    this.links = links;
  }

  get name(): ThemeName {
    return this.#choice.name;
  }

  get paint(): Paint {
    return this.#paint;
  }

  /** Everything must be redrawn after this. */
  use(name: ThemeName): void {
    this.#choice = { ...this.#choice, name };
    this.#paint = paintOf(this.#choice);
  }
}

type Style = readonly [open: string, close: string];

const bold: Style = ['1', '22'];
const dim: Style = ['2', '22'];
const color = (number: number): Style => [`38;5;${number}`, '39'];
const basic = (number: number): Style => [String(number), '39'];
const onColor = (number: number): Style => [`48;5;${number}`, '49'];
const plain: Style = ['', ''];

/** The style of each role on dark, on light, and with only 16 colours. */
const styles: Readonly<Record<Role, readonly [dark: Style, light: Style, basic: Style]>> = {
  muted: [color(245), color(243), dim],
  strong: [bold, bold, bold],
  accent: [color(110), color(25), basic(36)],
  success: [color(114), color(28), basic(32)],
  warning: [color(179), color(130), basic(33)],
  failure: [color(203), color(160), basic(31)],
  selected: [both(bold, color(117)), both(bold, color(25)), both(bold, basic(36))],
  border: [color(240), color(250), dim],
  user: [color(252), color(238), plain],
  heading: [both(bold, color(117)), both(bold, color(25)), bold],
  link: [color(75), color(26), basic(34)],
  quote: [color(247), color(242), dim],
  code: [color(180), color(94), basic(33)],
  keyword: [color(140), color(90), basic(35)],
  string: [color(150), color(28), basic(32)],
  number: [color(173), color(130), basic(33)],
  comment: [color(244), color(244), dim],
  added: [color(114), color(28), basic(32)],
  removed: [color(203), color(160), basic(31)],
  addedPart: [both(onColor(22), color(194)), both(onColor(194), color(22)), both(basic(32), ['7', '27'])],
  removedPart: [both(onColor(52), color(224)), both(onColor(224), color(88)), both(basic(31), ['7', '27'])],
  italic: [
    ['3', '23'],
    ['3', '23'],
    ['3', '23'],
  ],
  underline: [
    ['4', '24'],
    ['4', '24'],
    ['4', '24'],
  ],
  struck: [
    ['9', '29'],
    ['9', '29'],
    ['9', '29'],
  ],
};

function both([open, close]: Style, [innerOpen, innerClose]: Style): Style {
  return [`${open};${innerOpen}`, `${innerClose};${close}`];
}

function paintOf({ name, depth }: ThemeChoice): Paint {
  const column = depth === 'basic' ? 2 : name === 'light' ? 1 : 0;
  const entries = Object.entries(styles).map(([role, looks]) => [
    role,
    painter(name === 'none' ? plain : looks[column]),
  ]);
  // `styles` has every role, so each has its painter.
  return Object.fromEntries(entries) as Paint;
}

const painter =
  ([open, close]: Style) =>
  (text: string): string =>
    open === '' || text === '' ? text : `\u001b[${open}m${text}\u001b[${close}m`;
