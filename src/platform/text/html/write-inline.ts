// Inline content: words, links and emphasis.
import { nodesOf, type PageElement, type PageNode } from './page-tree.js';

const MAX_LINK_CHARS = 2_000; // a longer address is data

export interface Writing {
  /** The base URL for links. */
  base: string;
}

/** The marks that are already open: none is written twice, so that nesting costs nothing. */
interface Open {
  link?: boolean;
  strong?: boolean;
  emphasis?: boolean;
  deleted?: boolean;
}

/** The text of these nodes on as few lines as needed. */
export function inlineText(nodes: readonly PageNode[], writing: Writing): string {
  return tidy(nodes.map((node) => written(node, {}, writing)).join(''));
}

/** The same on one line: for headings, cells and links. */
export const oneLine = (nodes: readonly PageNode[], writing: Writing): string => onOneLine(inlineText(nodes, writing));

const onOneLine = (text: string): string => text.replaceAll(/\s+/g, (blanks) => (blanks.includes('\n') ? ' ' : blanks));

/** Collapses whitespace, except for explicit line breaks. */
const tidy = (text: string): string =>
  text
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();

function written(node: PageNode, open: Open, writing: Writing): string {
  if (typeof node === 'string') return cleanText(node);
  const inside = (more: Open = {}): string =>
    node.children.map((child) => written(child, { ...open, ...more }, writing)).join('');
  switch (node.name) {
    case 'br':
      return '\n';
    case 'img': {
      const alt = cleanText(node.attributes.get('alt') ?? '').trim();
      return alt === '' ? '' : `[image: ${alt}]`;
    }
    case 'a':
      return open.link ? inside() : link(inside({ link: true }), node, writing);
    case 'b':
    case 'strong':
      return open.strong ? inside() : marked(inside({ strong: true }), '**');
    case 'i':
    case 'em':
      return open.emphasis ? inside() : marked(inside({ emphasis: true }), '*');
    case 's':
    case 'del':
    case 'strike':
      return open.deleted ? inside() : marked(inside({ deleted: true }), '~~');
    case 'code':
    case 'kbd':
    case 'samp':
    case 'tt':
      return code(literal(node)); // content of code is literal: no marks inside
    case 'sup':
    case 'sub': {
      const text = literal(node).trim();
      return /^[\w+-]{1,12}$/.test(text) ? `${node.name === 'sup' ? '^' : '_'}${text}` : inside();
    }
    case 'q':
      return `"${inside()}"`;
    default:
      return INLINE.has(node.name) ? inside() : ` ${inside()} `;
  }
}

/** Elements that do not separate words. */
export const INLINE: ReadonlySet<string> = new Set([
  ...['a', 'abbr', 'acronym', 'b', 'bdi', 'bdo', 'big', 'br', 'cite', 'code', 'data', 'del', 'dfn', 'em', 'font', 'i'],
  ...['img', 'ins', 'kbd', 'label', 'mark', 'q', 'rp', 'rt', 'ruby', 's', 'samp', 'small', 'span', 'strike', 'strong'],
  ...[
    'sub',
    'sup',
    'time',
    'tt',
    'u',
    'var',
    'wbr',
    'output',
    'meter',
    'progress',
    'picture',
    'math',
    'mi',
    'mo',
    'mn',
  ],
]);

/** Removes invisible characters, which can only mislead. */
const cleanText = (text: string): string =>
  text
    .replaceAll(/[\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are removed here
    .replaceAll(/[\u0000-\u0008\u000b\u000e-\u001f\u007f]/g, '')
    .replaceAll(/[\s\u00a0]+/g, ' ');

/** The text without marks. */
export function literal(element: PageElement): string {
  const pieces: string[] = [];
  for (const node of nodesOf(element)) {
    if (typeof node === 'string') pieces.push(node);
    else if (node.name === 'br') pieces.push('\n');
  }
  return pieces.join('').replaceAll('\u00a0', ' ');
}

/** Whitespace at the edges stays outside the marks, or Markdown would ignore them. */
function marked(text: string, mark: string): string {
  const words = text.trim();
  if (words === '' || words.includes('\n')) return text;
  const start = text.slice(0, text.length - text.trimStart().length);
  const end = text.slice(text.trimEnd().length);
  return `${start}${mark}${words}${mark}${end}`;
}

function code(text: string): string {
  const words = cleanText(text).trim();
  if (words === '') return '';
  const ticks = '`'.repeat(longestTicks(words) + 1);
  const pad = words.startsWith('`') || words.endsWith('`') ? ' ' : '';
  return `${ticks}${pad}${words}${pad}${ticks}`;
}

export const longestTicks = (text: string): number =>
  [...text.matchAll(/`+/g)].reduce((longest, [run]) => Math.max(longest, run.length), 0);

function link(text: string, { attributes }: PageElement, { base }: Writing): string {
  const words = onOneLine(text.trim());
  const href = attributes.get('href')?.trim() ?? '';
  if (href.startsWith('#') && /^[#¶§🔗]$/u.test(words)) return ''; // the permalink that many pages add to their headings
  // A link within the page adds nothing to its text.
  if (words === '' || href === '' || href.startsWith('#') || !URL.canParse(href, base)) return text;
  const url = new URL(href, base);
  if (!['http:', 'https:', 'mailto:', 'ftp:'].includes(url.protocol) || url.href.length > MAX_LINK_CHARS) return text;
  const start = /^\s/.test(text) ? ' ' : '';
  const end = /\s$/.test(text) ? ' ' : '';
  if (words === url.href || words === href) return `${start}${url.href}${end}`;
  const target = /[()]/.test(url.href) ? `<${url.href}>` : url.href;
  return `${start}[${words}](${target})${end}`;
}
