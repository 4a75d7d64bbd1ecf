import { type DomNode, extentOf, hasHeading, type PageElement, pageTree, textLength } from './html/page-tree.js';
import { nesting, plainText } from './html/plain-text.js';
import { writeMarkdown } from './html/write-markdown.js';
import { safeCut } from './truncate.js';

const MAX_HTML_CHARS = 3_000_000; // far more than any model reads of one page
const MAX_MARKS = 80_000; // tags and entities: each costs the parser more than the text between them
const MAX_NESTING = 1_000; // beyond this the parser slows down, and no real page is nested that deep
// The time to find the article grows faster than the page.
const MAX_ARTICLE_ELEMENTS = 5_000;
const MAX_ARTICLE_DEPTH = 60;
const MAX_ARTICLE_CHARS = 1_000_000;
const LEAST_ARTICLE_SHARE = 0.5; // an article is most of its page; otherwise more than noise would be lost

export interface PageText {
  title: string | undefined;
  markdown: string;
  /** The page was truncated at the limit. */
  isCut: boolean;
  /** Its tags were stripped without parsing, since the page looks designed to exhaust a parser. */
  isPlain: boolean;
}

/**
 * The text of a page as Markdown: for an article its content, for other pages everything but navigation. Links are
 * absolute. Time and memory are bounded for any input, and it blocks for a second or two at most.
 */
export async function htmlToMarkdown(html: string, { url }: { url: string }): Promise<PageText> {
  const text = html.slice(0, readableEnd(html));
  const isLong = text.length < html.length;
  const unparsed = (): PageText => ({ title: undefined, markdown: plainText(text), isCut: isLong, isPlain: true });
  if (nesting(text) > MAX_NESTING) return unparsed();
  const { parseHTML } = await import('linkedom/worker'); // the same as "linkedom", bundled in one file
  const parse = (): PageDocument => asDocument(parseHTML(completed(text)).document);
  let document: PageDocument;
  try {
    document = parse();
  } catch {
    return unparsed(); // the parser fails on some pages, such as an element with a hundred thousand classes
  }
  const base = baseOf(document, url);
  const title = cleaned(document.querySelector('title')?.textContent);
  const { body, isCut } = bodyOf(document);
  const { elements, depth } = extentOf(document.body);
  const isSmall = elements <= MAX_ARTICLE_ELEMENTS && depth <= MAX_ARTICLE_DEPTH && text.length <= MAX_ARTICLE_CHARS;
  const article = isSmall ? await articleOf(parse(), body) : undefined; // the article is cut out of its document, so it gets a copy
  const markdown = writeMarkdown(article?.root ?? body, { base });
  return {
    title: title ?? cleaned(article?.title),
    // The article's first heading is its title, and is left out if it equals the page's title.
    markdown: article?.title && !hasHeading(article.root) ? `# ${article.title}\n\n${markdown}` : markdown,
    isCut: isLong || isCut,
    isPlain: false,
  };
}

/** How much of the page is read. */
function readableEnd(html: string): number {
  let marks = 0;
  for (const { index } of html.matchAll(/[<&]/g)) {
    if (index >= MAX_HTML_CHARS) break;
    marks += 1;
    if (marks > MAX_MARKS) return index;
  }
  return safeCut(html, Math.min(html.length, MAX_HTML_CHARS));
}

/** The part of the DOM's `Document` that is used here. */
interface PageDocument {
  readonly body: DomNode;
  querySelector(selector: string): (DomNode & { readonly textContent: string }) | null;
  querySelectorAll(selector: string): ArrayLike<DomNode & { readonly textContent: string }>;
}

// The project is not compiled with DOM types, which the parser and the article finder use.
const asDocument = (document: unknown): PageDocument => document as PageDocument;

/** The parser adds no implied elements, so optional tags that a page omits are inserted here. */
function completed(html: string): string {
  const text = html
    .replaceAll(/<\/?html(?:\s[^>]{0,2000})?>|<!doctype[^>]{0,500}>/gi, '')
    .replaceAll(/<(?![a-zA-Z/!?])/g, '&lt;'); // not a tag, as in a browser
  if (/<body[\s>]/i.test(text)) return `<!doctype html><html>${text}</html>`;
  const head = /^[\s\S]{0,200000}?<\/head\s*>/i.exec(text)?.[0] ?? '<head></head>';
  const body = head === '<head></head>' ? text : text.slice(head.length);
  return `<!doctype html><html>${head}<body>${body}</body></html>`;
}

function baseOf(document: PageDocument, url: string): string {
  const href = document.querySelector('base[href]')?.getAttribute?.('href') ?? '';
  if (!URL.canParse(href, url)) return url;
  const base = new URL(href, url);
  return base.protocol === 'http:' || base.protocol === 'https:' ? base.href : url;
}

/** The visible content: the page's main element if it has one, else everything but the frame around it. */
function bodyOf(document: PageDocument): { body: PageElement; isCut: boolean } {
  const mains = document.querySelectorAll('main, [role="main"]');
  const trees = [...(mains.length === 1 && mains[0] ? [mains[0]] : []), document.body].map((dom) =>
    pageTree(dom, { withoutFrame: true }),
  );
  const filled = trees.find(({ root }) => textLength(root) > 0);
  if (filled) return { body: filled.root, isCut: filled.isCut };
  // Only navigation, or nothing without scripts: fall back to everything there is.
  const { root, isCut } = pageTree(document.body, { withoutFrame: false, withNoscript: true });
  return { body: root, isCut };
}

/** The article of the page, if the page is one. */
async function articleOf(
  document: PageDocument,
  body: PageElement,
): Promise<{ root: PageElement; title: string | undefined } | undefined> {
  const { isProbablyReaderable, Readability } = await import('@mozilla/readability');
  const page = document as unknown as ConstructorParameters<typeof Readability>[0]; // the same type under another name
  try {
    if (!isProbablyReaderable(page)) return undefined;
    const found = new Readability<unknown>(page, { keepClasses: true, serializer: (node: unknown) => node }).parse();
    if (!found?.content) return undefined;
    const { root } = pageTree(found.content as DomNode, { withoutFrame: true }); // as the serializer returned it
    if (textLength(root) < textLength(body) * LEAST_ARTICLE_SHARE) return undefined;
    return { root, title: cleaned(found.title ?? undefined) };
  } catch {
    return undefined; // written for real pages: if it throws, the whole page is shown
  }
}

const cleaned = (text: string | undefined): string | undefined => {
  const words = text?.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  return words === '' ? undefined : words;
};
