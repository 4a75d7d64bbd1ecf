// A page as plain objects: only its visible content, bounded in depth and size, so that code that walks it need not
// defend itself against hostile pages.

const MAX_DEPTH = 150; // deeper content counts as part of the last level
const MAX_NODES = 400_000;

export interface PageElement {
  name: string;
  /** The attributes that are used. */
  attributes: ReadonlyMap<string, string>;
  children: PageNode[];
}

export type PageNode = PageElement | string;

/** The part of the DOM that is needed here, so that its types need not be known to the whole project. */
export interface DomNode {
  readonly nodeType: number;
  readonly localName?: string | null;
  readonly nodeValue?: string | null;
  readonly firstChild: DomNode | null;
  readonly nextSibling: DomNode | null;
  readonly parentNode: DomNode | null;
  getAttribute?(name: string): string | null;
}

const ELEMENT = 1;
const TEXT = 3;

const READ_ATTRIBUTES = ['href', 'alt', 'class', 'start', 'value', 'colspan', 'rowspan', 'role', 'title', 'data-lang'];

/** Elements that show no text, or text that is not the page's. */
const NOT_SHOWN: ReadonlySet<string> = new Set([
  ...['script', 'style', 'head', 'template', 'svg', 'canvas', 'iframe', 'object', 'embed', 'video', 'audio', 'map'],
  ...['button', 'input', 'select', 'textarea', 'datalist', 'link', 'meta', 'noscript', 'title', 'base', 'dialog'],
]);

const AROUND_ROLES: ReadonlySet<string> = new Set(['navigation', 'banner', 'contentinfo', 'search', 'complementary']);

/** The frame around a page's text, unless it is part of an article. */
const AROUND: ReadonlySet<string> = new Set(['footer', 'aside']);
const HOLDS_TEXT: ReadonlySet<string> = new Set(['main', 'article', 'blockquote']);

export interface TreeOptions {
  /** Leaves out navigation, footers and the like. */
  withoutFrame: boolean;
  /** Shows `noscript` content. */
  withNoscript?: boolean;
}

/** The tree below a node, without recursion: pages may be nested deeper than the stack. */
export function pageTree(start: DomNode, options: TreeOptions): { root: PageElement; isCut: boolean } {
  const root: PageElement = { name: 'body', attributes: new Map(), children: [] };
  const open: Array<{ dom: DomNode; element: PageElement; inText: boolean }> = [
    { dom: start, element: root, inText: HOLDS_TEXT.has(start.localName ?? '') },
  ];
  let dom = start.firstChild;
  let nodes = 0;
  while (dom && nodes < MAX_NODES) {
    nodes += 1;
    const parent = open.at(-1);
    if (!parent) break;
    let opened: DomNode | null = null;
    if (dom.nodeType === TEXT) {
      parent.element.children.push(dom.nodeValue ?? '');
    } else if (dom.nodeType === ELEMENT && isShown(dom, parent.inText, options)) {
      const name = dom.localName ?? '';
      const element: PageElement = { name, attributes: attributesOf(dom), children: [] };
      parent.element.children.push(element);
      opened = dom.firstChild;
      if (opened) {
        const isDeep = open.length >= MAX_DEPTH;
        open.push({ dom, element: isDeep ? parent.element : element, inText: parent.inText || HOLDS_TEXT.has(name) });
      }
    }
    dom = opened ?? nextAfter(dom, open);
  }
  return { root, isCut: dom !== null };
}

/** The next node in document order; closes the elements that end before it. */
function nextAfter(from: DomNode, open: Array<{ dom: DomNode }>): DomNode | null {
  let dom: DomNode = from;
  while (!dom.nextSibling) {
    const parent = open.pop();
    if (!parent || open.length === 0) return null;
    dom = parent.dom;
  }
  return dom.nextSibling;
}

/** The number of elements below, and their nesting depth. */
export function extentOf(start: DomNode): { elements: number; depth: number } {
  const open: Array<{ dom: DomNode }> = [{ dom: start }];
  let elements = 0;
  let depth = 0;
  for (let dom = start.firstChild; dom; ) {
    if (dom.nodeType === ELEMENT) elements += 1;
    if (dom.firstChild) open.push({ dom });
    depth = Math.max(depth, open.length);
    dom = dom.firstChild ?? nextAfter(dom, open);
  }
  return { elements, depth };
}

function isShown(dom: DomNode, inText: boolean, { withoutFrame, withNoscript }: TreeOptions): boolean {
  const name = dom.localName ?? '';
  if (name === 'noscript') return withNoscript === true;
  if (NOT_SHOWN.has(name)) return false;
  const attribute = (key: string): string => dom.getAttribute?.(key) ?? '';
  // Text that a person would not see is not part of the page, and a good hiding place for prompt injection.
  if (dom.getAttribute?.('hidden') != null || attribute('aria-hidden') === 'true') return false;
  if (/(?:display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d]))/i.test(attribute('style')))
    return false;
  if (!withoutFrame) return true;
  if (name === 'nav') return false;
  return inText || (!AROUND.has(name) && !AROUND_ROLES.has(attribute('role')));
}

function attributesOf(dom: DomNode): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (const name of READ_ATTRIBUTES) {
    const value = dom.getAttribute?.(name);
    if (value != null) attributes.set(name, value);
  }
  return attributes;
}

/** The number of characters of text, without whitespace. */
export function textLength(root: PageElement): number {
  let length = 0;
  for (const node of nodesOf(root)) if (typeof node === 'string') length += node.replaceAll(/\s+/g, '').length;
  return length;
}

/** Whether there is a first-level heading. */
export function hasHeading(root: PageElement): boolean {
  for (const node of nodesOf(root)) if (typeof node !== 'string' && node.name === 'h1') return true;
  return false;
}

/** All nodes below, in document order. */
export function* nodesOf({ children }: PageElement): Generator<PageNode, void, void> {
  const waiting = children.toReversed();
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    yield node;
    if (typeof node !== 'string') for (const child of node.children.toReversed()) waiting.push(child);
  }
}
