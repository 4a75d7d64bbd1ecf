import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePage } from '../web/decode-page.js';
import { htmlToMarkdown } from './html-to-markdown.js';

const folder = 'test/fixtures/web';
const url = 'https://www.example.com/blog/2026/page.html';
const pages = readdirSync(folder).filter((name) => name.endsWith('.html'));
const markdownOf = async (html: string): Promise<string> => (await htmlToMarkdown(html, { url })).markdown;

test.each(pages)('converts %s to the Markdown file next to it', async (name) => {
  const html = decodePage(readFileSync(join(folder, name)), 'text/html').text;
  const expected = readFileSync(join(folder, name.replace('.html', '.md')), 'utf8');
  expect(`${await markdownOf(html)}\n`).toBe(expected);
});

test('returns the title of a page', async () => {
  expect(await htmlToMarkdown('<title> A\n page </title><p>Text', { url })).toEqual({
    title: 'A page',
    markdown: 'Text',
    isCut: false,
    isPlain: false,
  });
});

test('omits invisible content', async () => {
  const html =
    '<body><p>Seen<span hidden>1</span><span style="display:none">2</span><span aria-hidden="true">3</span><!--4-->' +
    `<span style="${'color:red;'.repeat(60)}display : none">7</span>` +
    '<span style="font-size:0">5</span>\u{e0041}\u200b\u202e</p><template>6</template></body>';
  expect(await markdownOf(html)).toBe('Seen');
});

test('keeps a footer that belongs to an article', async () => {
  const html = '<body><article><p>Text</p><footer>By Ines</footer></article><footer>Imprint</footer></body>';
  expect(await markdownOf(html)).toBe('Text\n\nBy Ines');
});

test('shows a page that has only navigation', async () => {
  expect(await markdownOf('<body><nav><a href="/a">A</a></nav></body>')).toBe('[A](https://www.example.com/a)');
});

test('splits a table that is only used for layout', async () => {
  const html = '<table><tr><td><h1>Left</h1></td><td><p>Right</p></td></tr></table>';
  expect(await markdownOf(html)).toBe('# Left\n\nRight');
});

test('ignores a base that is not a web address', async () => {
  const html = '<head><base href="javascript:1"></head><body><a href="x">y</a></body>';
  expect(await markdownOf(html)).toBe('[y](https://www.example.com/blog/2026/x)');
});

const hostile: ReadonlyArray<[name: string, html: string, holds: string]> = [
  ['a million nested divs', `the text${'<div>x'.repeat(1_000_000)}`, 'the text'],
  ['ten thousand nested lists', `${'<ul><li>'.repeat(10_000)}the text`, 'the text'],
  ['900 nested quotes and lists', `${'<blockquote><ul><li>'.repeat(450)}the text`, 'the text'],
  ['nesting that is hidden by stray end tags', `${'<div></x>'.repeat(30_000)}the text`, 'the text'],
  ['many scripts in deep nesting', `${'<div>'.repeat(1_500)}the text${'<script></script>'.repeat(30_000)}`, 'the text'],
  ['a deep article', `${'<div>'.repeat(900)}${'<p>Words, and more words, to read.</p>'.repeat(2_000)}`, 'Words'],
  ['200,000 stray end tags', `<p>the text${'</b>'.repeat(200_000)}`, 'the text'],
  [
    'a row of 100,000 cells',
    `<table><tr>${'<td>x</td>'.repeat(100_000)}</tr></table>`,
    'more cells of this table are left out',
  ],
  ['100,000 rows', `<table>${'<tr><td>x</td><td>y</td></tr>'.repeat(100_000)}</table>`, '| x | y |'],
  [
    'a cell over a billion rows',
    '<table><tr><td rowspan=999999999 colspan=999999999>x</td><td>y</td></tr></table>',
    'x',
  ],
  ['100,000 paragraphs', '<p>x <b>y</b></p>'.repeat(100_000), 'x **y**'],
  ['nested emphasis', `<p>${'<b><i>'.repeat(450)}the text`, 'the text'],
  ['a list of 100,000 items', `<ol>${'<li>x'.repeat(100_000)}</ol>`, '30000. x'],
  [
    'an element of 20,000 attributes',
    `<p ${Array.from({ length: 20_000 }, (_, i) => `a${i}=1`).join(' ')}>the text`,
    'the text',
  ],
  ['a tag without end', `<p>the text<a href="${'x'.repeat(1_000_000)}`, 'the text'],
  ['a million open brackets', `the text${'<'.repeat(1_000_000)}`, 'the text'],
  ['a million entities', `the text${'&lt;'.repeat(1_000_000)}`, 'the text'],
  ['many comments', `the text${'<!-- '.repeat(200_000)}`, 'the text'],
];

test.each(hostile)('handles %s', async (_, html, holds) => {
  expect(await markdownOf(html)).toContain(holds);
});

test('reports that a page was truncated, or that its tags were removed without parsing', async () => {
  expect(await htmlToMarkdown(`<p>${'x'.repeat(3_100_000)}`, { url })).toMatchObject({ isCut: true, isPlain: false });
  const deep = `<SCRIPT>1 > 0</script><!-- > -->${'<div>'.repeat(2_000)}a &amp; b<style>`;
  expect(await htmlToMarkdown(deep, { url })).toEqual({
    title: undefined,
    markdown: 'a & b',
    isCut: false,
    isPlain: true,
  });
});

test('never fails and leaves no tags, for any page', async () => {
  const names = [
    'p',
    'div',
    'ul',
    'li',
    'table',
    'tr',
    'td',
    'h1',
    'pre',
    'a',
    'b',
    'dl',
    'dt',
    'dd',
    'span',
    'body',
    'html',
  ];
  const piece = fc.oneof(
    fc.constantFrom(...names).map((name) => `<${name}>`),
    fc.constantFrom(...names).map((name) => `</${name}>`),
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n', '&', ';', '"') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      expect(await markdownOf(pieces.join(''))).not.toMatch(/<[a-z/]/);
    }),
    { numRuns: 200 },
  );
});

test('shows a page as plain text if the parser fails', async () => {
  const html = `<p class="${'a '.repeat(300_000)}">One</p><p>Two</p>`;
  expect(await htmlToMarkdown(html, { url })).toEqual({
    title: undefined,
    markdown: 'One Two',
    isCut: false,
    isPlain: true,
  });
});
