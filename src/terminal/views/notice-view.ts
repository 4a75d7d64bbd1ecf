import type { Component } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLines, wrap } from './fit.js';

export type NoticeKind = 'info' | 'warning' | 'failure' | 'prompt';

/** A notice: a few separate lines. `prompt` is the user's text. */
export class NoticeView implements Component {
  readonly #theme: Theme;
  readonly #kind: NoticeKind;
  readonly #text: string;

  constructor(theme: Theme, kind: NoticeKind, text: string) {
    this.#theme = theme;
    this.#kind = kind;
    this.#text = text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const painted = this.#theme.paint[roles[this.#kind]];
    // Highlighted, because users look for their prompts when scrolling back.
    const signed = this.#kind === 'prompt' ? this.#theme.paint.accent : painted;
    return cleanLines(this.#text)
      .flatMap((line) => wrap(line, Math.max(1, width - 2)))
      .map((line, index) => `${index === 0 ? signed(signs[this.#kind]) : ' '} ${painted(line)}`.trimEnd());
  }
}

const signs = { info: '·', warning: '!', failure: '✗', prompt: '>' } as const;
const roles = { info: 'muted', warning: 'warning', failure: 'failure', prompt: 'user' } as const;
