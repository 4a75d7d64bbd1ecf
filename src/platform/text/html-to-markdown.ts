import { type DomNode, extentOf, hasHeading, type PageElement, pageTree, textLength } from './html/page-tree.js';
import { nesting, plainText } from './html/plain-text.js';
import { writeMarkdown } from './html/write-markdown.js';
import { safeCut } from './truncate.js';

const MAX_HTML_CHARS = 3_000_000; // far more than any model reads of one page
const MAX_MARKS = 80_000; // tags and entities: each costs the parser more than the text between them
const MAX_NESTING = 1_000; // beyond this the parser slows down, and no page that is meant for people goes there
// Finding the article takes time that grows faster than the page.
const MAX_ARTICLE_ELEMENTS = 5_000;
const MAX_ARTICLE_DEPTH = 60;
const MAX_ARTICLE_CHARS = 1_000_000;
const LEAST_ARTICLE_SHARE = 0.5; // an article is most of its page; else more would be lost than noise

export interface PageText {
  title: string | undefined;
  markdown: string;
  /** The page was longer than what is read of one. */
  isCut: boolean;
  /** Its tags were taken away without a look at them, since the page is made to break whoever reads it. */
  isPlain: boolean;
}

/**
 * The text of a page as Markdown: of an article what belongs to it, of other pages everything but navigation. Links are
 * absolute. What it takes is bounded, whatever the page is made of, and it blocks for a second or two at most.
 */
export async function htmlToMarkdown(html: string, { url }: { url: string }): Promise<PageText> {
  const text = html.slice(0, readableEnd(html));
  const isLong = text.length < html.length;
  const unparsed = (): PageText => ({ title: undefined, markdown: plainText(text), isCut: isLong, isPlain: true });
  if (nesting(text) > MAX_NESTING) return unparsed();
  const { parseHTML } = await import('linkedom/worker'); // the same as "linkedom", in one file
  const parse = (): PageDocument => asDocument(parseHTML(completed(text)).document);
  let document: PageDocument;
  try {
    document = parse();
  } catch {
    return unparsed(); // the parser gives up on some, such as an element with a hundred thousand classes
  }
  const base = baseOf(document, url);
  const title = cleaned(document.querySelector('title')?.textContent);
  const { body, isCut } = bodyOf(document);
  const { elements, depth } = extentOf(document.body);
  const isSmall = elements <= MAX_ARTICLE_ELEMENTS && depth <= MAX_ARTICLE_DEPTH && text.length <= MAX_ARTICLE_CHARS;
  const article = isSmall ? await articleOf(parse(), body) : undefined; // what is found is cut out of its document
  const markdown = writeMarkdown(article?.root ?? body, { base });
  return {
    title: title ?? cleaned(article?.title),
    // The article's own heading counts as its title, and is left out where it says the same.
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

/** As much of a document as is used here. */
interface PageDocument {
  readonly body: DomNode;
  querySelector(selector: string): (DomNode & { readonly textContent: string }) | null;
  querySelectorAll(selector: string): ArrayLike<DomNode & { readonly textContent: string }>;
}

// The project is not compiled with the types of a browser, in which the parser and the article finder are described.
const asDocument = (document: unknown): PageDocument => document as PageDocument;

/** The parser makes no element that is not written, so a page that leaves out what may be left out gets it here. */
function completed(html: string): string {
  const text = html
    .replaceAll(/<\/?html(?:\s[^>]{0,2000})?>|<!doctype[^>]{0,500}>/gi, '')
    .replaceAll(/<(?![a-zA-Z/!?])/g, '&lt;'); // no tag, as a browser has it too
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

/** What the page shows: its main part where it names one, else all but what stands around it. */
function bodyOf(document: PageDocument): { body: PageElement; isCut: boolean } {
  const mains = document.querySelectorAll('main, [role="main"]');
  const trees = [...(mains.length === 1 && mains[0] ? [mains[0]] : []), document.body].map((dom) =>
    pageTree(dom, { withoutFrame: true }),
  );
  const filled = trees.find(({ root }) => textLength(root) > 0);
  if (filled) return { body: filled.root, isCut: filled.isCut };
  // Nothing but navigation, or nothing without scripts: whatever there is.
  const { root, isCut } = pageTree(document.body, { withoutFrame: false, withNoscript: true });
  return { body: root, isCut };
}

/** The article that the page is, where it is one. */
async function articleOf(
  document: PageDocument,
  body: PageElement,
): Promise<{ root: PageElement; title: string | undefined } | undefined> {
  const { isProbablyReaderable, Readability } = await import('@mozilla/readability');
  const page = document as unknown as ConstructorParameters<typeof Readability>[0]; // the same thing, under another name
  try {
    if (!isProbablyReaderable(page)) return undefined;
    const found = new Readability<unknown>(page, { keepClasses: true, serializer: (node: unknown) => node }).parse();
    if (!found?.content) return undefined;
    const { root } = pageTree(found.content as DomNode, { withoutFrame: true }); // as the serializer gave it
    if (textLength(root) < textLength(body) * LEAST_ARTICLE_SHARE) return undefined;
    return { root, title: cleaned(found.title ?? undefined) };
  } catch {
    return undefined; // made for pages as people write them: what it stumbles over is shown as a whole
  }
}

const cleaned = (text: string | undefined): string | undefined => {
  const words = text?.replaceAll(/\s+/g, ' ').trim().slice(0, 300);
  return words === '' ? undefined : words;
};
