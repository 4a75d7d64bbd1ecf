import type { Component } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLines, wrap } from './fit.js';

export type NoticeKind = 'info' | 'warning' | 'failure';

/** A notice: a few separate lines. */
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
    return cleanLines(this.#text)
      .flatMap((line) => indented(line, width - 2))
      .map((line, index) => `${index === 0 ? painted(signs[this.#kind]) : ' '} ${painted(line)}`.trimEnd());
  }
}

const signs = { info: '·', warning: '!', failure: '✗' } as const;
const roles = { info: 'muted', warning: 'warning', failure: 'failure' } as const;

/** Lines that go on below a line keep its indentation. */
function indented(line: string, width: number): string[] {
  const [indent] = /^ */.exec(line) ?? [''];
  return wrap(line.slice(indent.length), Math.max(1, width - indent.length)).map((each) => `${indent}${each}`);
}

const AFTER_STOP = 'Say what to do instead, or "go on" to continue.';

/** After Esc. `afterCall`: a call above it says that it was interrupted. `next`: what to do, if it is not the usual. */
export const interruptedNotice = (
  theme: Theme,
  { afterCall, next = AFTER_STOP }: { afterCall: boolean; next?: string | undefined },
): NoticeView => new NoticeView(theme, 'info', afterCall ? next : `Interrupted. ${next}`);
