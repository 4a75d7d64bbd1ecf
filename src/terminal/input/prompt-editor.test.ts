import { type Terminal, TuiMainScreen, visibleWidth } from '@earendil-works/pi-tui';
import { expect, test } from 'vitest';
import { type KeyAction, KeyBindings } from './key-bindings.js';
import { PromptEditor, type PromptEditorOptions } from './prompt-editor.js';

const plain = (text: string): string => text;
const theme = {
  borderColor: plain,
  selectList: { selectedPrefix: plain, selectedText: plain, description: plain, scrollInfo: plain, noMatch: plain },
};

function terminal(): Terminal {
  const nothing = (): void => {};
  return {
    start: nothing,
    stop: nothing,
    drainInput: async () => {},
    write: nothing,
    columns: 80,
    rows: 40,
    kittyProtocolActive: false,
    moveBy: nothing,
    hideCursor: nothing,
    showCursor: nothing,
    clearLine: nothing,
    clearFromCursor: nothing,
    clearScreen: nothing,
    setTitle: nothing,
    setProgress: nothing,
  };
}

interface Opened {
  editor: PromptEditor;
  sent: string[];
  kept: string[];
  actions: KeyAction[];
  type(...keys: string[]): void;
}

function opened({ prompts = [], ...options }: Partial<PromptEditorOptions> & { prompts?: string[] } = {}): Opened {
  const keys = options.keys ?? new KeyBindings();
  keys.install();
  const kept: string[] = [];
  const actions: KeyAction[] = [];
  const editor = new PromptEditor(new TuiMainScreen(terminal()), {
    theme,
    keys,
    history: {
      prompts,
      add: (prompt) => kept.push(prompt),
      search: (query) => prompts.filter((prompt) => prompt.includes(query)),
    },
    onAction(action) {
      actions.push(action);
      return true;
    },
    ...options,
  });
  const sent: string[] = [];
  editor.onSubmit = (text) => sent.push(text);
  const type = (...typed: string[]): void => {
    for (const key of typed) editor.handleInput(key);
  };
  return { editor, sent, kept, actions, type };
}

const letters = (text: string): string[] => [...text];

test('Enter sends the text, and a backslash before it starts a new line', () => {
  const { editor, sent, type } = opened();
  type(...letters('one\\'), '\r', ...letters('two'));
  expect(editor.getText()).toBe('one\ntwo');
  type('\r');
  expect(sent).toEqual(['one\ntwo']);
});

test('folds a large paste into a marker, and sends all of it', () => {
  const { editor, sent, type } = opened();
  const text = Array.from({ length: 500 }, (_, index) => `line ${index}`).join('\n');
  type(...letters('look: '), `\x1b[200~${text}\x1b[201~`);
  expect(editor.getText()).toBe('look: [paste #1 +500 lines]');
  type('\r');
  expect(sent).toEqual([`look: ${text}`]);
});

test('runs a command that was pasted with its line ending, and waits for Enter after any other line', () => {
  const { editor, sent, type } = opened({ isCommand: (name) => name === 'help' });
  type('\x1b[200~/help\r\x1b[201~');
  expect(sent).toEqual(['/help']);
  type('\x1b[200~/help me\r\n\x1b[201~');
  expect(editor.getText()).toBe('/help me');
  type('\x1b[200~/help\n\x1b[201~');
  expect(editor.getText()).toBe('/help me /help');
  expect(sent).toEqual(['/help']);
  type('\r');
  expect(sent).toEqual(['/help', '/help me /help']);
});

test('inserts the replacement of a paste into the text', () => {
  const { sent, type } = opened({ standIn: (pasted) => (pasted === '/a.png' ? '[image #1]' : undefined) });
  type(...letters('see '), '\x1b[200~/a.png\x1b[201~', '\x1b[200~ and text\x1b[201~', '\r');
  expect(sent).toEqual(['see [image #1] and text']);
});

test('treats a paste that arrives in pieces as text, for any keys in it', () => {
  const { sent, actions, type } = opened();
  type('\x1b[200~first', '\x12', 'second\x1b[201~', '\r');
  expect(sent).toEqual(['firstsecond']);
  expect(actions).toEqual([]);
});

test('reports keys by their configured action', () => {
  const keys = new KeyBindings(new Map([['interrupt', { value: ['ctrl+x'] }]]));
  const { actions, type } = opened({ keys });
  type('\x18', '\x1b', '\x1b[Z', '\x0f');
  expect(actions).toEqual(['interrupt', 'cycleMode', 'expand']);
});

test('leaves a key to the editor if its action is not handled', () => {
  const { editor, type } = opened({ onAction: () => false });
  type(...letters('ab'), '\x02', 'x'); // Ctrl-B moves left
  expect(editor.getText()).toBe('axb');
});

test('submits with the configured key', () => {
  const { sent, type } = opened({
    keys: new KeyBindings(
      new Map([
        ['submit', { value: ['ctrl+x'] }],
        ['newLine', { value: ['enter'] }],
      ]),
    ),
  });
  type('a', '\r', 'b', '\x18');
  expect(sent).toEqual(['a\nb']);
});

test('recalls earlier prompts with the arrow keys, the latest first', () => {
  const { editor, type } = opened({ prompts: ['latest', 'oldest'] });
  editor.render(80);
  type('\x1b[A', '\x1b[A');
  expect(editor.getText()).toBe('oldest');
});

test('searches the history with Ctrl-R, continues to older matches, and sends the match', () => {
  const { editor, sent, type } = opened({ prompts: ['fix the tests', 'read it', 'write tests'] });
  type('\x12', ...letters('test'));
  expect(editor.render(60).at(-1)).toContain('search: test▏ 1 of 2');
  expect(editor.getText()).toBe('fix the tests');
  type('\x12');
  expect(editor.getText()).toBe('write tests');
  type('\r');
  expect(sent).toEqual(['write tests']);
  expect(editor.isSearching).toBe(false);
});

test('Ctrl-C leaves the search with the earlier text, Tab with the match', () => {
  const { editor, sent, type } = opened({ prompts: ['found'] });
  type(...letters('draft'), '\x12', 'f', '\x03');
  expect(editor.getText()).toBe('draft');
  type('\x12', 'f', '\t');
  expect(editor.getText()).toBe('found');
  expect(sent).toEqual([]);
});

test('adds sent prompts to the history', () => {
  const { editor, kept } = opened();
  editor.remember('hello');
  expect(kept).toEqual(['hello']);
});

test('runs a command that arrives in one burst with Enter, although the list offers another', async () => {
  const offered = ['/helper', '/help'];
  const { editor, sent, type } = opened({ isCommand: (name) => name === 'help' });
  editor.setAutocompleteProvider({
    getSuggestions: async () => ({ prefix: '/', items: offered.map((value) => ({ value, label: value })) }),
    applyCompletion: (lines, cursorLine, _, { value }) => ({
      lines: [value, ...lines.slice(1)],
      cursorLine,
      cursorCol: value.length,
    }),
  });
  type('/');
  await new Promise((done) => setImmediate(done));
  expect(editor.isShowingAutocomplete()).toBe(true);
  type(...letters('help'), '\r');
  expect(sent).toEqual(['/help']);
});

test('selects the first completion, although another one begins as typed', async () => {
  const { editor, type } = opened();
  const taken: string[] = [];
  editor.setAutocompleteProvider({
    getSuggestions: async () => ({
      prefix: '@user',
      items: ['@src/user.ts', '@user.config.js'].map((value) => ({ value, label: value })),
    }),
    applyCompletion: (lines, cursorLine, cursorCol, { value }) => {
      taken.push(value);
      return { lines, cursorLine, cursorCol };
    },
  });
  type(...letters('@user'));
  await expect.poll(() => editor.isShowingAutocomplete()).toBe(true);
  type('\t');
  expect(taken).toEqual(['@src/user.ts']);
});

test.each([
  ['to the beginning', '\x15', ''],
  ['a word', '\x17', '@'],
])('a key that deletes %s closes the list of what was typed', async (_, key, left) => {
  const { editor, type } = opened();
  editor.setAutocompleteProvider({
    getSuggestions: async () => ({ prefix: '@t', items: [{ value: '@to', label: 'to' }] }),
    applyCompletion: (lines, cursorLine, cursorCol) => ({ lines, cursorLine, cursorCol }),
  });
  type(...letters('@t'));
  await expect.poll(() => editor.isShowingAutocomplete()).toBe(true);
  type(key);
  expect({ text: editor.getText(), isListed: editor.isShowingAutocomplete() }).toEqual({ text: left, isListed: false });
});

test.each([
  ['moves by words and deletes one', 'one two three', '0wdw', 'one three'],
  ['deletes to the end', 'one two three', '0wD', 'one '],
  ['deletes letters by number', 'abcdef', '03x', 'def'],
  ['appends at the end', 'abc', '0A!', 'abc!'],
  ['inserts at the beginning', 'abc', 'I>', '>abc'],
  ['replaces a letter', 'abc', '0rx', 'xbc'],
  ['changes a word', 'one two', '0cwnew', 'new two'],
  ['goes to a letter', 'a(b)c', '0f(x', 'ab)c'],
  ['opens a line below', 'abc', 'onext', 'abc\nnext'],
  ['deletes the line', 'abc', 'dd', ''],
  ['takes back', 'abc', '0xu', 'abc'],
])('with the keys of vi, %s', (_, text, keys, expected) => {
  const { editor, type } = opened({ vi: true });
  type(...letters(text), '\x1b', ...letters(keys));
  expect(editor.getText()).toBe(expected);
});

test('with the keys of vi, Esc leaves insert mode first and interrupts after that', () => {
  const { editor, actions, type } = opened({ vi: true });
  type('a', '\x1b[27u'); // as sent by terminals that distinguish keys
  expect(actions).toEqual([]);
  expect(editor.render(40).at(-1)).toContain('NORMAL');
  type('\x1b');
  expect(actions).toEqual(['interrupt']);
});

test('draws no line that is wider than the terminal, with the search open', () => {
  const { editor, type } = opened({ prompts: ['x'.repeat(300)] });
  type('\x12', ...letters('x'.repeat(60)));
  for (const width of [10, 40, 80]) {
    for (const line of editor.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
  }
});
