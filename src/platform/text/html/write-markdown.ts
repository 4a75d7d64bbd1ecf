// Converts a page to Markdown. Text is not escaped, since a reader wants the words, and names with underscores,
// unchanged.
import type { PageElement, PageNode } from './page-tree.js';
import { INLINE, inlineText, literal, longestTicks, oneLine, type Writing } from './write-inline.js';
import { writeTable } from './write-table.js';

const MAX_INDENTS = 12; // lists and quotes that are nested deeper continue at this level

interface BlockContext extends Writing {
  /** The number of enclosing lists and quotes. */
  indents: number;
}

export function writeMarkdown(root: PageElement, writing: Writing): string {
  return blocksOf(root.children, { ...writing, indents: 0 })
    .join('\n\n')
    .trim();
}

/** Paragraphs, lists, tables and other blocks, in order. */
function blocksOf(nodes: readonly PageNode[], context: BlockContext): string[] {
  const blocks: string[] = [];
  let words: PageNode[] = [];
  const flush = (): void => {
    const text = words.length > 0 ? inlineText(words, context) : '';
    if (text !== '') blocks.push(text);
    words = [];
  };
  for (const node of nodes) {
    if (typeof node === 'string' || (INLINE.has(node.name) && !wrapsBlocks(node, 4))) {
      words.push(node);
      continue;
    }
    flush();
    for (const block of blockOf(node, context)) if (block !== '') blocks.push(block);
  }
  flush();
  return blocks;
}

/** A `span` or a link around paragraphs, as some pages have it. */
function wrapsBlocks({ name, children }: PageElement, depth: number): boolean {
  return (
    name !== 'a' &&
    depth > 0 &&
    children.some(
      (child) =>
        typeof child !== 'string' && (INLINE.has(child.name) ? wrapsBlocks(child, depth - 1) : child.name !== 'svg'),
    )
  );
}

function blockOf(element: PageElement, context: BlockContext): string[] {
  const { name, children } = element;
  switch (name) {
    case 'h1':
    case 'h2':
    case 'h3':
    case 'h4':
    case 'h5':
    case 'h6':
      return heading(element, context);
    case 'pre':
      return codeBlock(element);
    case 'ul':
    case 'ol':
    case 'menu':
      return [list(element, context)];
    case 'dl':
      return [definitions(element, context)];
    case 'blockquote':
      return [quote(children, context)];
    case 'table':
      return tableBlocks(element, context);
    case 'hr':
      return ['---'];
    case 'summary': {
      const text = oneLine(children, context);
      return text === '' ? [] : [`**${text}**`];
    }
    default:
      return blocksOf(children, context);
  }
}

/** An unclosed heading swallows the content after it, which is separated again here. */
function heading({ name, children }: PageElement, context: BlockContext): string[] {
  const end = children.findIndex((child) => typeof child !== 'string' && NOT_IN_HEADINGS.test(child.name));
  const words = oneLine(end < 0 ? children : children.slice(0, end), context);
  const title = words === '' ? [] : [`${'#'.repeat(Number(name.slice(1)))} ${words}`];
  return end < 0 ? title : [...title, ...blocksOf(children.slice(end), context)];
}

const NOT_IN_HEADINGS = /^(?:h[1-6]|p|[duo]l|table|pre|blockquote|section|article)$/;

/** A layout table is replaced by the content of its cells. */
function tableBlocks(element: PageElement, context: BlockContext): string[] {
  const table = writeTable(element, context);
  return table === undefined ? blocksOf(element.children, context) : [table];
}

/** Literal, between fences that are longer than any in it. */
function codeBlock(element: PageElement): string[] {
  const text = literal(element).replaceAll('\r\n', '\n').replace(/^\n/, '').trimEnd();
  if (text.trim() === '') return [];
  const fence = '`'.repeat(Math.max(3, longestTicks(text) + 1));
  return [`${fence}${languageOf(element)}\n${text}\n${fence}`];
}

/** `language-js` on the `pre` or its `code`, as highlighters write it. */
function languageOf(element: PageElement): string {
  const candidates = [element, ...element.children.filter((child) => typeof child !== 'string')];
  for (const { attributes } of candidates) {
    const written = attributes.get('data-lang');
    const classes = attributes.get('class') ?? '';
    const [, language = written] =
      /(?:^|\s)(?:lang(?:uage)?-|highlight-source-|brush:\s*|sourceCode\s+)([\w+#.-]+)/.exec(classes) ?? [];
    if (language !== undefined && /^[\w+#.-]{1,30}$/.test(language)) return language.toLowerCase();
  }
  return '';
}

function list({ name, attributes, children }: PageElement, context: BlockContext): string {
  const isOrdered = name === 'ol';
  const inner = { ...context, indents: context.indents + 1 };
  let number = Number.parseInt(attributes.get('start') ?? '1', 10);
  if (!Number.isSafeInteger(number)) number = 1;
  const items: string[] = [];
  let isLoose = false;
  let loose: PageNode[] = [];
  const addItem = (nodes: readonly PageNode[], element?: PageElement): void => {
    const value = Number.parseInt(element?.attributes.get('value') ?? '', 10);
    if (isOrdered && Number.isSafeInteger(value)) number = value;
    const blocks = blocksOf(nodes, inner);
    if (blocks.length === 0) return;
    const marker = isOrdered ? `${number}. ` : '- ';
    number += 1;
    // A paragraph and the list below it stay together; more content needs blank lines.
    const isTight = blocks.every((block, index) => index === 0 || /^(?:[-*] |\d+\. )/.test(block));
    isLoose ||= !isTight;
    const text = blocks.join(isTight ? '\n' : '\n\n');
    items.push(marker + (context.indents < MAX_INDENTS ? indented(text, marker.length) : text));
  };
  const flush = (): void => {
    addItem(loose); // text, or a list, outside any item
    loose = [];
  };
  for (const child of children) {
    if (typeof child !== 'string' && child.name === 'li') {
      flush();
      addItem(child.children, child);
    } else if (typeof child !== 'string' || child.trim() !== '') loose.push(child);
  }
  flush();
  return items.join(isLoose ? '\n\n' : '\n');
}

/** Indents all lines but the first; empty ones stay empty. */
const indented = (text: string, width: number): string => text.replaceAll(/\n(?=[^\n])/g, `\n${' '.repeat(width)}`);

function definitions({ children }: PageElement, context: BlockContext): string {
  const lines: string[] = [];
  const inner = { ...context, indents: context.indents + 1 };
  const add = (nodes: readonly PageNode[], depth: number): void => {
    for (const node of nodes) {
      if (typeof node === 'string') continue;
      if (node.name === 'dt') {
        const term = oneLine(node.children, context);
        if (term !== '') lines.push(`${lines.length > 0 ? '\n' : ''}${term}`);
      } else if (node.name === 'dd') {
        const text = blocksOf(node.children, inner).join('\n\n');
        if (text !== '') lines.push(`: ${context.indents < MAX_INDENTS ? indented(text, 2) : text}`);
      } else if (depth > 0) add(node.children, depth - 1); // a `div` around each pair
    }
  };
  add(children, 2);
  return lines.join('\n');
}

function quote(children: readonly PageNode[], context: BlockContext): string {
  const text = blocksOf(children, { ...context, indents: context.indents + 1 }).join('\n\n');
  if (text === '' || context.indents >= MAX_INDENTS) return text;
  return text
    .split('\n')
    .map((line) => (line === '' ? '>' : `> ${line}`))
    .join('\n');
}
