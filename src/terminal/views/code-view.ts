import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import { sliceSpans } from '../../display/code-span.js';
import { codeSpans } from '../../display/code-spans.js';
import type { Theme } from '../screen/theme.js';
import { chopCode, expandTabs } from './fit.js';
import { paintedSpans } from './painted-code.js';

const HANG = 2; // columns that a continuation is indented by, beyond the line itself

/** A fenced code block. The text must be clean: it is drawn as is. */
export class CodeView implements Component {
  readonly #theme: Theme;
  readonly #block: { language: string; code: string };

  constructor(theme: Theme, block: { language: string; code: string }) {
    this.#theme = theme;
    this.#block = block;
  }

  invalidate(): void {}

  render(width: number): string[] {
    return codeLines(this.#theme, this.#block, width);
  }
}

/** Code on a background of its own, or beside a bar where there are none. The language shows in its colours. */
export function codeLines(
  theme: Theme,
  { language, code }: { language: string; code: string },
  width: number,
): string[] {
  const { paint } = theme;
  const room = Math.max(2, width - 3);
  const plain = code === '' ? [] : code.split('\n').map(expandTabs);
  const spans = codeSpans(plain.join('\n'), language);
  const lines = plain.flatMap((text, index) => {
    const line = spans[index] ?? [{ text }];
    // The plain line is measured, which is much cheaper than measuring the styled one.
    if (visibleWidth(text) <= room) return [paintedSpans(line, paint)];
    const hang = Math.min(/^ */.exec(text)?.[0].length ?? 0, Math.floor(room / 3)) + HANG;
    let at = 0;
    return chopCode(text, room, hang).map((piece, row) => {
      const painted = paintedSpans(sliceSpans(line, at, at + piece.length), paint);
      at += piece.length;
      return row === 0 ? painted : `${' '.repeat(hang)}${painted}`;
    });
  });
  const all = lines.length === 0 ? [''] : lines;
  if (theme.hasGrounds) return all.map((line) => theme.on('code', ` ${line} `, width));
  return all.map((line) => `${paint.border('│')} ${line}`.trimEnd());
}
