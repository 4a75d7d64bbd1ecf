import {
  type Component,
  hyperlink,
  Markdown,
  type MarkdownTheme,
  setCapabilityOverrides,
} from '@earendil-works/pi-tui';
import { fullyVisible } from '../../platform/text/visible.js';
import type { Theme } from '../screen/theme.js';
import { CodeView } from './code-view.js';
import { highlight } from './highlight.js';
import { blockOf, completed, cutMarkdown, escaped, type MarkdownBlock } from './markdown-source.js';
import { quietTables } from './table-lines.js';

/** Markdown that may still be streaming. The settled part is parsed and drawn only once. */
export class MarkdownView implements Component {
  readonly #theme: Theme;
  readonly #look: MarkdownTheme;
  readonly #settled: Component[] = [];
  #text = '';
  /** The start of the part that can still change. */
  #tailStart = 0;
  #tail: Component | undefined;
  #isStreaming: boolean;
  /** The lines of the first settled blocks. */
  #drawn: { width: number; blocks: number; lines: string[] } = { width: 0, blocks: 0, lines: [] };

  constructor(theme: Theme, text?: string) {
    // Addresses are always written out and linked by our theme: a link must not hide its target.
    setCapabilityOverrides({ hyperlinks: false });
    this.#theme = theme;
    this.#look = markdownTheme(theme);
    this.#isStreaming = text === undefined;
    if (text !== undefined) this.append(text);
  }

  get text(): string {
    return this.#text;
  }

  /** Adds text. */
  append(piece: string): void {
    this.#text += piece;
    this.#tail = undefined;
    if (!piece.includes('\n')) return;
    const { settled, length } = cutMarkdown(this.#text.slice(this.#tailStart));
    this.#settled.push(...settled.map((block) => this.#view(block)));
    this.#tailStart += length;
  }

  /** The text is complete. */
  finish(): void {
    this.#isStreaming = false;
    this.#tail = undefined;
  }

  invalidate(): void {
    this.#tail = undefined;
    this.#drawn = { width: 0, blocks: 0, lines: [] };
    for (const block of this.#settled) block.invalidate();
  }

  render(width: number): string[] {
    const above = this.#settledLines(width);
    this.#tail ??= this.#view(blockOf(this.#tailText()));
    const below = this.#lines(this.#tail, width);
    if (above.length === 0) return below;
    return below.length === 0 ? above.slice() : above.concat('', below);
  }

  #settledLines(width: number): string[] {
    if (this.#drawn.width !== width) this.#drawn = { width, blocks: 0, lines: [] };
    const { lines } = this.#drawn;
    for (const block of this.#settled.slice(this.#drawn.blocks)) {
      const drawn = this.#lines(block, width);
      if (drawn.length > 0 && lines.length > 0) lines.push('');
      for (const line of drawn) lines.push(line);
    }
    this.#drawn.blocks = this.#settled.length;
    return lines;
  }

  #lines(block: Component, width: number): string[] {
    const lines = trimmed(block.render(width));
    // The library resets styles at the end of a line, even if none was set.
    const plain = this.#theme.name === 'none' ? lines.map((line) => line.replaceAll(styles, '').trimEnd()) : lines;
    return block instanceof Markdown ? quietTables(plain, this.#theme.paint) : plain;
  }

  #tailText(): string {
    const tail = this.#text.slice(this.#tailStart);
    return this.#isStreaming ? completed(tail) : tail;
  }

  #view(block: MarkdownBlock): Component {
    if (block.type === 'code') return new CodeView(this.#theme, { language: block.language, code: clean(block.code) });
    return new Markdown(escaped(clean(block.text)), 0, 0, this.#look);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression matches escapes
const styles = /\u001b\[[\d;]*m/g;

const clean = (text: string): string => fullyVisible(text.replaceAll('\r\n', '\n'));

/** Removes trailing spaces, which would be copied too, and empty lines at the end. */
function trimmed(lines: readonly string[]): string[] {
  const short = lines.map((line) => line.trimEnd());
  const end = short.findLastIndex((line) => line !== '') + 1;
  const start = short.findIndex((line) => line !== '');
  return short.slice(Math.max(0, start), end);
}

/** Maps pi-tui's styles to ours; the theme is looked up at each use, so that a change of theme applies. */
function markdownTheme(theme: Theme): MarkdownTheme {
  return {
    heading: (text) => theme.paint.heading(text),
    link: (text) => asLink(theme, text, theme.paint.link(text)),
    // The library passes ` (https://…)`.
    linkUrl: (text) =>
      theme.paint.muted(
        text.replace(/^( \()(.*)(\))$/s, (_, open, url, close) => `${open}${asLink(theme, url, url)}${close}`),
      ),
    code: (text) => theme.paint.code(text),
    codeBlock: (text) => text,
    codeBlockBorder: (text) => theme.paint.border(text),
    quote: (text) => theme.paint.quote(text),
    quoteBorder: (text) => theme.paint.border(text),
    hr: (text) => theme.paint.border(text),
    listBullet: (text) => theme.paint.accent(text),
    bold: (text) => theme.paint.strong(text),
    italic: (text) => theme.paint.italic(text),
    strikethrough: (text) => theme.paint.struck(text),
    underline: (text) => theme.paint.underline(text),
    highlightCode: (code, language) => highlight(code, language, theme.paint),
  };
}

/**
 * Only schemes that a browser or a mail program opens: the effect of `file:` or a custom scheme is not visible to the
 * user.
 */
function asLink(theme: Theme, text: string, drawn: string): string {
  const address = text.replaceAll(styles, ''); // the library may have underlined it already
  return theme.links && /^(?:https?:\/\/|mailto:)[\x21-\x7e]+$/i.test(address) ? hyperlink(drawn, address) : drawn;
}
