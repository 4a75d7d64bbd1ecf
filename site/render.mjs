// Markdown as HTML: headings with anchors like those of a forge, links to other pages, tables and code that scroll by themselves.
import { posix } from 'node:path';
import { Marked } from 'marked';

const entities = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
export const escapeHtml = (text) => text.replace(/[&<>"']/g, (character) => entities[character]);

/** `linkTo(source)` returns the address of a file of the repository, from the top of the site. */
export function renderMarkdown(text, { source, linkTo, upwards }) {
  const headings = [];
  const anchors = new Set();
  const plain = [];
  let tables = 0;
  let section = { id: '', heading: '', text: '' };

  const renderer = {
    heading({ tokens, depth, raw }) {
      const heading = textOf(tokens);
      const id = uniqueAnchor(raw, anchors);
      headings.push({ id, depth, heading });
      const inner = this.parser.parseInline(tokens);
      if (depth === 1) return `<h1 id="${id}">${inner}</h1>\n`;
      return `<h${depth} id="${id}"><a class="anchor" href="#${id}">${inner}</a></h${depth}>\n`;
    },
    link({ href, title, tokens }) {
      const inner = this.parser.parseInline(tokens);
      const target = resolveLink(href, { source, linkTo, upwards });
      if (target === undefined) return inner;
      const hint = title ? ` title="${escapeHtml(title)}"` : '';
      const away = /^https?:/.test(target) ? ' rel="noreferrer"' : '';
      return `<a href="${escapeHtml(target)}"${hint}${away}>${inner}</a>`;
    },
    image({ href, text: description }) {
      const target = resolveLink(href, { source, linkTo, upwards }) ?? href;
      return `<img src="${escapeHtml(target)}" alt="${escapeHtml(description)}" loading="lazy">`;
    },
    code({ text: code, lang }) {
      const language = lang ? ` data-language="${escapeHtml(lang)}"` : '';
      return `<div class="code"${language}><pre tabindex="0"><code>${escapeHtml(code)}</code></pre></div>\n`;
    },
    table(token) {
      const cell = ({ tokens, align }, tag) =>
        `<${tag}${align ? ` class="${align}"` : ''}>${this.parser.parseInline(tokens)}</${tag}>`;
      // A column without a name is one whose cells name the rows.
      const head = token.header.map((each) => cell(each, each.tokens.length > 0 ? 'th' : 'td')).join('');
      const body = token.rows.map((row) => `<tr>${row.map((each) => cell(each, 'td')).join('')}</tr>`).join('\n');
      const label = escapeHtml(headings.at(-1)?.heading ?? 'Table');
      tables += 1;
      const name = `${label}, table ${tables}`;
      return `<div class="table" tabindex="0" role="region" aria-label="${name}"><table><thead><tr>${head}</tr></thead>\n<tbody>${body}</tbody></table></div>\n`;
    },
    html: ({ text: html }) => (html.startsWith('<!--') ? '' : escapeHtml(html)),
  };

  const marked = new Marked({ gfm: true, renderer });
  const tokens = marked.lexer(text);
  const seen = new Set();
  for (const token of tokens) {
    if (token.type === 'heading') {
      plain.push(section);
      section = { id: uniqueAnchor(token.raw, seen), heading: textOf(token.tokens), text: '' };
    } else section.text += `${plainText(token)} `;
  }
  plain.push(section);
  const html = marked.parser(tokens);
  return { html, headings, sections: plain.filter(({ heading }) => heading !== '') };
}

function resolveLink(href, { source, linkTo, upwards }) {
  if (/^(?:[a-z]+:|#)/.test(href)) return href;
  const [path, anchor] = href.split('#');
  const address = linkTo(posix.join(posix.dirname(source), decodeURIComponent(path)));
  if (address === undefined) return undefined;
  return `${upwards}${address}${anchor === undefined ? '' : `#${anchor}`}`;
}

/** The anchor that a forge gives a heading. */
function uniqueAnchor(raw, taken) {
  const words = raw
    .replace(/^#+\s*/, '')
    .trim()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase();
  const name = words.replace(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(' ', '-');
  let anchor = name;
  for (let count = 1; taken.has(anchor); count += 1) anchor = `${name}-${count}`;
  taken.add(anchor);
  return anchor;
}

const textOf = (tokens) => tokens.map((token) => (token.tokens ? textOf(token.tokens) : (token.text ?? ''))).join('');

function plainText(token) {
  if (token.type === 'table') {
    return [token.header, ...token.rows]
      .flat()
      .map(({ tokens }) => textOf(tokens))
      .join(' ');
  }
  if (token.type === 'list') return token.items.map(({ tokens }) => tokens.map(plainText).join(' ')).join(' ');
  if (token.type === 'html' || token.type === 'space') return '';
  return token.tokens ? textOf(token.tokens) : (token.text ?? '');
}
