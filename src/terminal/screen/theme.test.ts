import { expect, test } from 'vitest';
import { chooseTheme, followBackground, supportsLinks, Theme, type ThemeFacts } from './theme.js';

const many = { TERM: 'xterm-256color' };
const white = { r: 255, g: 255, b: 255 };

const rows: ReadonlyArray<[what: string, facts: ThemeFacts, name: string]> = [
  ['dark if nothing is known', { env: many }, 'dark'],
  ['light on a white background', { env: many, background: white }, 'light'],
  ['dark on a black background', { env: many, background: { r: 10, g: 10, b: 10 } }, 'dark'],
  ['light if COLORFGBG says so', { env: { ...many, COLORFGBG: '0;15' } }, 'light'],
  [
    'light if the terminal reports a white background, although COLORFGBG is dark',
    { env: { ...many, COLORFGBG: '15;0' }, background: white },
    'light',
  ],
  ['the theme of the setting, not of the background', { setting: 'dark', env: many, background: white }, 'dark'],
  ['the theme of the background if the setting is auto', { setting: 'auto', env: many, background: white }, 'light'],
  ['the default theme if the setting is unknown', { setting: 'neon', env: many }, 'dark'],
  ['no colours if the setting is none', { setting: 'none', env: many }, 'mono'],
  ['no colours if NO_COLOR is set, with any setting', { setting: 'dark', env: { ...many, NO_COLOR: '1' } }, 'mono'],
  ['blue and orange on dark', { setting: 'colorblind', env: many }, 'dark-colorblind'],
  ['blue and orange on light', { setting: 'colorblind', env: many, background: white }, 'light-colorblind'],
  ['colours if NO_COLOR is empty', { env: { ...many, NO_COLOR: '' } }, 'dark'],
  ['no styles in a dumb terminal', { env: { TERM: 'dumb' } }, 'none'],
  [
    'colours if FORCE_COLOR is set, although NO_COLOR is too',
    { env: { TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '1' } },
    'dark',
  ],
  ['no colours if FORCE_COLOR is 0', { env: { ...many, FORCE_COLOR: '0' } }, 'mono'],
];

test.each(rows)('chooses %s', (_, facts, name) => {
  expect(chooseTheme(facts).name).toBe(name);
});

test('uses 16 colours if a terminal does not report more', () => {
  expect(chooseTheme({ env: { TERM: 'linux' } }).depth).toBe('basic');
  expect(chooseTheme({ env: { ...many, FORCE_COLOR: '1' } }).depth).toBe('basic');
  expect(chooseTheme({ env: { TERM: 'linux', FORCE_COLOR: '2' } }).depth).toBe('many');
  expect(new Theme({ name: 'dark', depth: 'basic' }).paint.failure('x')).toBe('\u001b[31mx\u001b[39m');
});

test.each([
  ['COLORTERM says so', { TERM: 'xterm-256color', COLORTERM: 'truecolor' }, 'true'],
  ['it is a terminal that has them', { TERM: 'xterm-kitty' }, 'true'],
  ['FORCE_COLOR is 3', { TERM: 'linux', FORCE_COLOR: '3' }, 'true'],
  ['tmux hides the terminal', { TERM: 'tmux-256color', TMUX: '/tmp/x', TERM_PROGRAM: 'ghostty' }, 'many'],
])('16 million colours if %s: %o', (_, env, depth) => {
  expect(chooseTheme({ env }).depth).toBe(depth);
});

test('without colours, bold and dim text remain', () => {
  const { paint } = new Theme({ name: 'mono', depth: 'true' });
  expect([paint.heading('x'), paint.muted('x'), paint.success('x')]).toEqual([
    '\u001b[1mx\u001b[22m',
    '\u001b[2mx\u001b[22m',
    'x',
  ]);
});

test('a change of theme applies to all holders', () => {
  const theme = new Theme({ name: 'none', depth: 'true' });
  const draw = () => theme.paint.success('done');
  expect(draw()).toBe('done');
  theme.use('dark');
  expect(draw()).toBe('\u001b[38;2;143;200;115mdone\u001b[39m');
  theme.use('light');
  expect(draw()).toBe('\u001b[38;2;37;112;42mdone\u001b[39m');
});

test('fills a line with a background, also behind styles that end it', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  expect(theme.on('added', 'a\u001b[0mb', 4)).toBe('\u001b[48;5;22ma\u001b[0m\u001b[48;5;22mb  \u001b[49m');
  expect(new Theme({ name: 'mono', depth: 'true' }).on('added', 'ab', 4)).toBe('ab');
});

test('backgrounds of lines follow the background of the terminal', () => {
  const theme = new Theme({ name: 'dark', depth: 'true' });
  theme.use('dark', { r: 0x26, g: 0x28, b: 0x2d }); // 16 more than the palette expects
  expect(theme.on('code', 'x')).toBe('\u001b[48;2;47;50;57mx\u001b[49m');
});

test('adapts to the background that the terminal reports', async () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  expect(await followBackground(theme, { env: many }, async () => undefined)).toBe(false);
  expect(theme.name).toBe('dark');
  expect(await followBackground(theme, { env: many }, async () => white)).toBe(true);
  expect(theme.name).toBe('light');
  expect(await followBackground(theme, { env: many }, async () => white)).toBe(false);
});

test('does not query the terminal if the user has configured a theme', async () => {
  const unasked = async () => {
    throw new Error('must not be called');
  };
  const theme = new Theme({ name: 'dark', depth: 'many' });
  expect(await followBackground(theme, { env: many, setting: 'dark' }, unasked)).toBe(false);
  expect(await followBackground(theme, { env: { ...many, NO_COLOR: '1' } }, unasked)).toBe(false);
});

test.each([
  ['kitty', { KITTY_WINDOW_ID: '1' }, true],
  ['an editor', { TERM: 'xterm-256color', TERM_PROGRAM: 'vscode' }, true],
  ['kitty behind tmux', { KITTY_WINDOW_ID: '1', TMUX: '/tmp/x' }, false],
  ['an unknown terminal', { TERM: 'xterm-256color' }, false],
])('writes links for %s: %o', (_, env, expected) => {
  expect(supportsLinks(env)).toBe(expected);
});
