// For pages that would overload a parser: strips the tags and keeps the text.

/** The approximate nesting depth of the tags, at least as deep as a parser would find in a well-formed page. */
export function nesting(html: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [, slash, name = ''] of html.matchAll(/<(\/?)([a-zA-Z][a-zA-Z0-9:-]{0,30})/g)) {
    if (slash === '/') depth = Math.max(0, depth - 1);
    else if (!UNNESTED.has(name.toLowerCase())) depth += 1;
    if (depth > deepest) deepest = depth;
  }
  return deepest;
}

/** Void elements, and elements whose end tag is optional. */
const UNNESTED: ReadonlySet<string> = new Set([
  ...['area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'param', 'source', 'track', 'wbr'],
  ...['p', 'li', 'dt', 'dd', 'tr', 'td', 'th', 'thead', 'tbody', 'tfoot', 'option', 'optgroup', 'path', 'use', 'rect'],
  ...['circle', 'line', 'polygon', 'polyline', 'ellipse', 'stop'],
]);

/** The text between the tags, without scripts and styles. A single pass for any input. */
export function plainText(html: string): string {
  const pieces: string[] = [];
  let at = 0;
  while (at < html.length) {
    const tag = html.indexOf('<', at);
    if (tag < 0) break;
    pieces.push(html.slice(at, tag));
    const [, name = ''] = /^<(script|style|template|!--)/i.exec(html.slice(tag, tag + 10)) ?? [];
    const end = name === '' ? tag : endOf(name, html, tag);
    const close = end < 0 ? -1 : html.indexOf('>', end);
    if (close < 0) return finish(pieces); // the rest is one unclosed tag
    pieces.push(' ');
    at = close + 1;
  }
  pieces.push(html.slice(at));
  return finish(pieces);
}

/** The end of a comment or such an element; its content is skipped. */
function endOf(name: string, html: string, from: number): number {
  const end = name === '!--' ? /-->/g : new RegExp(`</${name}`, 'gi');
  end.lastIndex = from;
  return end.exec(html)?.index ?? -1;
}

function finish(pieces: readonly string[]): string {
  return pieces
    .join('')
    .replaceAll(/&(amp|lt|gt|quot|nbsp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .split('\n')
    .map((line) => line.trim().replaceAll(/[ \t]{2,}/g, ' '))
    .filter((line) => line !== '')
    .join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" };
