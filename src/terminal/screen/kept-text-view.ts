import type { Component } from '@earendil-works/pi-tui';
import { cleanLine, cut } from '../views/fit.js';
import type { Theme } from './theme.js';

const NOTE = ' · kept for the prompt';

/** Shown below a question, which covers the prompt: the text that waits there. */
export class KeptTextView implements Component {
  readonly #theme: Theme;
  readonly #text: () => string;

  constructor(theme: Theme, text: () => string) {
    this.#theme = theme;
    this.#text = text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const text = cleanLine(this.#text().trim());
    if (text === '') return [];
    return [this.#theme.paint.muted(cut(`${cut(`» ${text}`, Math.max(8, width - NOTE.length))}${NOTE}`, width))];
  }
}
