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
  ['no colours if the setting is none', { setting: 'none', env: many }, 'none'],
  ['no colours if NO_COLOR is set, with any setting', { setting: 'dark', env: { ...many, NO_COLOR: '1' } }, 'none'],
  ['colours if NO_COLOR is empty', { env: { ...many, NO_COLOR: '' } }, 'dark'],
  ['no colours in a dumb terminal', { env: { TERM: 'dumb' } }, 'none'],
  [
    'colours if FORCE_COLOR is set, although NO_COLOR is too',
    { env: { TERM: 'dumb', NO_COLOR: '1', FORCE_COLOR: '1' } },
    'dark',
  ],
  ['no colours if FORCE_COLOR is 0', { env: { ...many, FORCE_COLOR: '0' } }, 'none'],
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

test('a change of theme applies to all holders', () => {
  const theme = new Theme({ name: 'none', depth: 'many' });
  const draw = () => theme.paint.success('done');
  expect(draw()).toBe('done');
  theme.use('dark');
  expect(draw()).toBe('\u001b[38;5;114mdone\u001b[39m');
  theme.use('light');
  expect(draw()).toBe('\u001b[38;5;28mdone\u001b[39m');
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
