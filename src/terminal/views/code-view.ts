import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, expandTabs, wrap } from './fit.js';
import { highlight } from './highlight.js';

const INDENT = '  ';

/** A fenced code block. The text must be clean: it is drawn as is. */
export class CodeView implements Component {
  readonly #theme: Theme;
  readonly #language: string;
  readonly #code: string;

  constructor(theme: Theme, { language, code }: { language: string; code: string }) {
    this.#theme = theme;
    this.#language = language;
    this.#code = code;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const room = Math.max(1, width - INDENT.length);
    const plain = this.#code === '' ? [] : this.#code.split('\n').map(expandTabs);
    const painted = plain.length === 0 ? [] : highlight(plain.join('\n'), this.#language, paint);
    // The plain line is measured, which is much cheaper than measuring the styled one.
    const lines = painted.flatMap((line, index) =>
      visibleWidth(plain[index] ?? '') <= room ? [line] : wrap(line, room),
    );
    return [
      paint.border(cut(`\`\`\`${cleanLine(this.#language)}`, width)),
      ...lines.map((line) => `${INDENT}${line}`.trimEnd()),
      paint.border('```'),
    ];
  }
}
