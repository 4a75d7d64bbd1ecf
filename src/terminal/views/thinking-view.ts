import type { Component } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLines, cut, wrap } from './fit.js';

const TAIL_LINES = 2;
const TAIL_CHARS = 2_000;

/** A model's thinking: its last lines while it streams, one line afterwards, and all of it if expanded. */
export class ThinkingView implements Component {
  readonly #theme: Theme;
  #text = '';
  #isOver = false;
  isExpanded = false;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  append(piece: string): void {
    this.#text += piece;
  }

  finish(): void {
    this.#isOver = true;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    // While it streams, only the end is visible, so that not all of it is processed with each delta.
    const text = this.#isOver || this.isExpanded ? this.#text : this.#text.slice(-TAIL_CHARS);
    const lines = cleanLines(text.trim()).flatMap((line) => wrap(line, Math.max(1, width - 2)));
    if (lines.length === 0) return [];
    const head = this.#isOver
      ? `∴ Thought${this.isExpanded ? '' : ` (${counted(lines.length, 'line')}, ctrl+o)`}`
      : '∴ Thinking';
    const shown = this.isExpanded ? lines : this.#isOver ? [] : lines.slice(-TAIL_LINES);
    return [cut(head, width), ...shown.map((line) => `  ${line}`)].map((line) => paint.italic(paint.muted(line)));
  }
}
