import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLines, cut, wrap } from './fit.js';

const FOLDED_ROWS = 8; // of a longer prompt, such as a pasted log
const SIGN = '❯ ';
const BELOW = '  ';

/**
 * The user's prompt, to be found again when scrolling back: a bar over the width, or where there are no backgrounds,
 * below a line that is as wide as the prompt.
 */
export class PromptView implements Component {
  readonly #theme: Theme;
  readonly #text: string;
  isExpanded = false;

  constructor(theme: Theme, text: string) {
    this.#theme = theme;
    this.#text = text;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { paint } = this.#theme;
    const room = Math.max(1, width - SIGN.length - 1);
    const all = cleanLines(this.#text.trimEnd());
    const rows = all.flatMap((line) => wrap(line, room));
    const isFolded = !this.isExpanded && rows.length > FOLDED_ROWS + 1;
    const shown = isFolded ? rows.slice(0, FOLDED_ROWS) : rows;
    const more = isFolded
      ? [paint.muted(cut(`… ${counted(rows.length - shown.length, 'more line')} (ctrl+o)`, room))]
      : [];
    const lines = [...shown.map((line) => (line === '' ? '' : paint.user(line))), ...more];
    const signed = lines.map((line, index) => `${index === 0 ? paint.selected(SIGN) : BELOW}${line}`);
    if (this.#theme.hasGrounds) return signed.map((line) => this.#theme.on('prompt', line, width));
    const plain = signed.map((line) => line.trimEnd());
    return [paint.border('─'.repeat(Math.max(...plain.map(visibleWidth)))), ...plain];
  }
}
