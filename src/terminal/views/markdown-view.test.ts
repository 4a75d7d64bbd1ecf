import { stripTerminalSequences, visibleWidth } from '@earendil-works/pi-tui';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Theme } from '../screen/theme.js';
import { MarkdownView } from './markdown-view.js';

const none = new Theme({ name: 'none', depth: 'many' });
const dark = new Theme({ name: 'dark', depth: 'many' }, { links: true });

const drawn = (text: string, width = 40, theme = none): string[] => new MarkdownView(theme, text).render(width);

function streamed(text: string, width = 40): string[] {
  const view = new MarkdownView(none);
  view.append(text);
  return view.render(width).map(stripTerminalSequences);
}

const document = `# Title

Some **bold** text with \`code\` and a list:

1. one
   - inner
     - deepest
2. two

| name | value |
|------|-------|
| a    | 1     |

\`\`\`ts
const a = 1;
\`\`\`

> quoted

See [the docs](https://example.com/docs) and https://example.com.

Last words.`;

test('a table is aligned as its rule says, and a row that wraps adds no lines between the others', () => {
  const table = '| word | means | count |\n|---|:---:|---:|\n| a | one | 5 |\n| b | two or three | 12 |';
  expect(drawn(table)).toEqual([
    'word │    means     │ count',
    '─────┼──────────────┼──────',
    'a    │     one      │     5',
    'b    │ two or three │    12',
  ]);
  expect(drawn(table, 22)).toEqual([
    'word │  means  │ count',
    '─────┼─────────┼──────',
    'a    │   one   │     5',
    'b    │ two or  │    12',
    '     │  three  │',
  ]);
});

test('a table that is too wide for its words becomes rows of names and values', () => {
  const table = '| file | state |\n|---|---|\n| format-currency.js | done |\n| b.js | open |';
  expect(drawn(table, 22)).toEqual([
    'file:',
    '  format-currency.js',
    'state: done',
    '────────────',
    'file: b.js',
    'state: open',
  ]);
});

test.each([40, 80, 120])('draws headings, lists, tables, code, quotes and links at %i columns', (width) => {
  expect(drawn(document, width)).toEqual([
    'Title',
    '',
    'Some bold text with `code` and a list:',
    '',
    '1. one',
    '   • inner',
    '     • deepest',
    '2. two',
    '',
    'name │ value',
    '─────┼──────',
    'a    │ 1',
    '',
    '│ const a = 1;',
    '',
    '▎ quoted',
    '',
    ...(width === 40
      ? ['See the docs (https://example.com/docs)', 'and https://example.com.']
      : ['See the docs (https://example.com/docs) and https://example.com.']),
    '',
    'Last words.',
  ]);
});

test('draws headings of every level without their marks, and tasks as boxes', () => {
  expect(drawn('### Three\n\n##### Five\n\n- [ ] open\n- [x] done, with `code`\n- none')).toEqual([
    'Three',
    '',
    'Five',
    '',
    '☐ open',
    '☑ done, with `code`',
    '• none',
  ]);
});

test('draws what is nested in a list item under its text', () => {
  expect(drawn('1. first\n\n   more\n\n   ```sh\n   ls\n   ```\n2. second')).toEqual([
    '1. first',
    '',
    '   more',
    '',
    '   │ ls',
    '',
    '2. second',
  ]);
});

test('keeps the style of a heading behind code in it', () => {
  const [line = ''] = drawn('## The `total` function', 60, dark);
  const { heading, code } = dark.paint;
  expect(line).toBe(`${heading('The ')}${heading(code('total'))}${heading(' function')}`);
});

test('wraps prose at a readable width, while a table uses the whole window', () => {
  const words = 'word '.repeat(60).trim();
  expect(Math.max(...drawn(words, 200).map((line) => line.length))).toBeLessThanOrEqual(110);
  expect(Math.max(...drawn(`| a | b |\n|---|---|\n| x | ${words} |`, 200).map((line) => line.length))).toBeGreaterThan(
    180,
  );
});

test('draws code on a background over the width', () => {
  const lines = drawn('```js\nlet a\n```', 20, dark);
  expect(lines.map((line) => visibleWidth(line))).toEqual([20]);
  expect(lines[0]).toBe(dark.on('code', ` ${dark.paint.keyword('let')} a`, 20));
});

test('a single tilde strikes nothing out', () => {
  expect(drawn('~5 files and ~/x, ~~gone~~', 40, dark).join('')).toContain(dark.paint.struck('gone'));
  expect(drawn('about ~5~ files')).toEqual(['about ~5~ files']);
});

test('draws text that arrives in pieces like the whole text', () => {
  const view = new MarkdownView(none);
  for (const character of document) view.append(character);
  view.finish();
  expect(view.render(60)).toEqual(drawn(document, 60));
});

test('uses the colours of the theme, and redraws in another one', () => {
  const theme = new Theme({ name: 'dark', depth: 'many' });
  const view = new MarkdownView(theme, 'a `b`');
  expect(view.render(40)).toEqual([`a ${theme.paint.code('b')}`]);
  theme.use('light');
  view.invalidate();
  expect(view.render(40)).toEqual([`a ${theme.paint.code('b')}`]);
});

test('writes out the target of a link, and makes it clickable', () => {
  const [line = ''] = drawn('[https://good.example](https://evil.example)', 80, dark);
  expect(stripTerminalSequences(line)).toBe('https://good.example (https://evil.example)');
  expect(line).toContain(
    `\u001b]8;;https://evil.example\u001b\\${dark.paint.muted('https://evil.example')}\u001b]8;;\u001b\\`,
  );
  expect(drawn('[x](file:///etc/passwd)', 80, dark).join('')).not.toContain('\u001b]8');
});

test('shows control characters and hidden characters of an answer', () => {
  expect(drawn('a\u001b[2Jb \u202ec\u200bd &#27;[31m')).toEqual(['a\\u001b[2Jb \\u202ec\\u{200b}d &#27;[31m']);
});

const unfinished: ReadonlyArray<[what: string, text: string, lines: string[]]> = [
  ['a code block without its end', 'a\n\n```ts\nlet b', ['a', '', '│ let b']],
  ['the first characters of a fence', 'a\n\n``', ['a']],
  ['the head of a table', '| a | b', ['a │ b', '──┼──']],
  ['a table whose rule is being written', '| a | b |\n|--', ['a │ b', '──┼──']],
  ['a row that is being written', '| a | b |\n|---|---|\n| 1', ['a │ b', '──┼──', '1 │']],
  ['bold text without its end', 'some **bold te', ['some bold te']],
  ['two stars with nothing behind them', 'some **', ['some']],
  ['code without its end', 'run `npm te', ['run `npm te`']],
  ['half a character', 'smile \ud83d', ['smile']],
];

test.each(unfinished)('draws unfinished %s as if it were complete', (_, text, lines) => {
  expect(streamed(text)).toEqual(lines);
});

test('never changes a settled line while text arrives', () => {
  const view = new MarkdownView(none);
  let before: string[] = [];
  for (const character of document) {
    view.append(character);
    const lines = view.render(60);
    const changed = before.findIndex((line, index) => line !== lines[index]);
    // Only text after the last blank line that ended a block may change; a table is the tallest such block here.
    if (changed !== -1) expect(before.length - changed).toBeLessThanOrEqual(7);
    before = lines;
  }
});

test('fits any text into the width', () => {
  const piece = fc.constantFrom(
    '# ',
    '- ',
    '1. ',
    '| a | b |\n|---|---|\n',
    '```',
    '\n',
    '\n\n',
    '> ',
    'word ',
    '日本語',
    '👩‍💻',
    '**',
    '`',
    '$',
    '[a](b)',
    'x'.repeat(60),
    '\t',
    '<b>',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 25 }), fc.constantFrom(20, 40, 80), (pieces, width) => {
      const view = new MarkdownView(dark);
      view.append(pieces.join(''));
      for (const line of view.render(width)) expect(visibleWidth(line)).toBeLessThanOrEqual(width);
    }),
  );
});

test('distinguishes dollar signs of money and variables from formulas', () => {
  expect(drawn('Put $HOME/bin first, for $5 **now**.')).toEqual(['Put $HOME/bin first, for $5 now.']);
  expect(drawn('`$PATH` and\n\n```sh\necho $A\n```')).toEqual(['`$PATH` and', '', '│ echo $A']);
  expect(drawn('So $x^2$ grows.')).toEqual(['So x² grows.']);
  expect(drawn('$$\n\\alpha + 1\n$$')).toEqual(['α + 1']);
});

test('decodes character references, and shows images by their address', () => {
  expect(drawn('a &lt;b&gt; &amp;lt; `&lt;` &#27;')).toEqual(['a <b> &lt; `&lt;` &#27;']);
  expect(drawn('![a chart](http://x.example/c.png)', 60)).toEqual(['image: a chart (http://x.example/c.png)']);
});

test('writes no escape sequence without colours', () => {
  const wide =
    '| a | long column with many words in it |\n|---|---|\n| `x` | some **text** that is long enough to wrap |';
  expect([...drawn(wide), ...drawn(document)].join('')).not.toContain('\u001b');
});

test.each([
  ['quotes', `${'>'.repeat(5_000)} deep`],
  ['lists', `${'- '.repeat(3_000)} deep`],
  ['formulas', `$$\n${'\\frac{'.repeat(4_000)}deep\n$$`],
  ['bold text without an end', `${'**a '.repeat(20_000)}deep`],
  ['code without an end', `${'`a '.repeat(20_000)}deep`],
  ['brackets', `${'\\['.repeat(20_000)}deep`],
])('draws %s beyond all measure as text', (_, text) => {
  expect(new MarkdownView(none, text).render(80).join('\n')).toContain('deep');
});
