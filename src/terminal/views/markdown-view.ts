import { type Component, renderLatex } from '@earendil-works/pi-tui';
import { blockOf, completed, cutMarkdown, escaped, type MarkdownBlock } from '../../display/markdown-source.js';
import { fullyVisible } from '../../platform/text/visible.js';
import type { Theme } from '../screen/theme.js';
import { CodeView } from './code-view.js';
import { markdownLines, PROSE_COLUMNS } from './markdown-lines.js';

/** Markdown that may still be streaming. The settled part is parsed and drawn only once. */
export class MarkdownView implements Component {
  readonly #theme: Theme;
  readonly #settled: Component[] = [];
  #text = '';
  /** The start of the part that can still change. */
  #tailStart = 0;
  #tail: Component | undefined;
  #isStreaming: boolean;
  /** The lines of the first settled blocks. */
  #drawn: { width: number; blocks: number; lines: string[] } = { width: 0, blocks: 0, lines: [] };

  constructor(theme: Theme, text?: string) {
    this.#theme = theme;
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
    if (piece.includes('\n')) this.#settle();
  }

  #settle(options: { atLetter?: boolean } = {}): void {
    const { settled, length } = cutMarkdown(this.#text.slice(this.#tailStart), options);
    this.#settled.push(...settled.map((block) => this.#view(block)));
    this.#tailStart += length;
  }

  /** The text is complete. */
  finish(): void {
    this.#isStreaming = false;
    this.#tail = undefined;
  }

  /**
   * Ends this view before the block that is being written, and returns a view that continues with that block.
   * `rowsAbove`: so many rows of this view can't be moved any more; undefined if the block began in one of them.
   */
  split(rowsAbove: number): MarkdownView | undefined {
    this.#settle({ atLetter: true });
    if (rowsAbove > 0 && rowsAbove > this.#settledLines(this.#drawn.width).length) return undefined;
    const rest = new MarkdownView(this.#theme);
    rest.append(this.#text.slice(this.#tailStart));
    this.#text = this.#text.slice(0, this.#tailStart);
    this.finish();
    return rest;
  }

  get isEmpty(): boolean {
    return this.#text.trim() === '';
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
    return trimmed(block.render(block instanceof CodeView ? Math.min(width, PROSE_COLUMNS) : width));
  }

  #tailText(): string {
    const tail = this.#text.slice(this.#tailStart);
    return this.#isStreaming ? completed(tail) : tail;
  }

  #view(block: MarkdownBlock): Component {
    if (block.type === 'code') return new CodeView(this.#theme, { language: block.language, code: clean(block.code) });
    const text = escaped(clean(block.text), renderLatex);
    return { render: (width) => markdownLines(this.#theme, text, width), invalidate: () => {} };
  }
}

const clean = (text: string): string => fullyVisible(text.replaceAll('\r\n', '\n'));

/** Without empty lines at the start and the end. */
function trimmed(lines: readonly string[]): string[] {
  const end = lines.findLastIndex((line) => line !== '') + 1;
  const start = lines.findIndex((line) => line !== '');
  return lines.slice(Math.max(0, start), end);
}
