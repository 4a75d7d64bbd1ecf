import { visibleWidth } from '@earendil-works/pi-tui';
import type { PermissionQuestion } from '../../contract/permission.js';
import { partsInQuestion } from '../../display/marked-parts.js';
import { pairPatch } from '../../display/pair-patch.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { bodyLines } from '../views/body-lines.js';
import { DiffView, SIDE_BY_SIDE_COLUMNS } from '../views/diff-view.js';
import { cleanLine, wrap } from '../views/fit.js';
import { markedLines } from './mark-parts.js';
import { shareThatFits } from './scroll-window.js';

const MAX_DRAWN = 4; // a resize brings other widths
const TITLE_LINE = 8; // columns beside the headline

/** The subject of a permission question: the diff, or the command with its risky and deciding parts highlighted. */
export class SubjectView {
  readonly #theme: Theme;
  readonly #question: PermissionQuestion;
  /** The headline of the question, which may contain the title already. */
  readonly #headline: string;
  /** By the width and the size of alternating parts: a long diff needs two of them in each frame. */
  readonly #drawn = new Map<string, readonly string[]>();
  /** Lines that are not drawn. */
  #hidden = 0;

  constructor(theme: Theme, question: PermissionQuestion, headline: string) {
    this.#theme = theme;
    this.#question = question;
    this.#headline = headline;
  }

  /** Whether something of it is too large to be shown. */
  get isPartial(): boolean {
    const { body } = this.#question.display;
    return this.#hidden > 0 || (body?.type === 'diff' && body.isPartial === true);
  }

  invalidate(): void {
    this.#drawn.clear();
  }

  /**
   * All its lines. If they are more than the rows, removed and added lines of a diff alternate. In a wide window the
   * sides are beside each other, unless more of the change is on the screen with one below the other.
   */
  render(width: number, rows: number): readonly string[] {
    const beside = this.#inColumns(width, rows);
    if (width < SIDE_BY_SIDE_COLUMNS || this.#question.display.body?.type !== 'diff') return beside;
    const shareBeside = shareThatFits(beside, rows, width);
    if (shareBeside === 1) return beside;
    const below = this.#inColumns(SIDE_BY_SIDE_COLUMNS - 1, rows);
    return shareThatFits(below, rows, width) > shareBeside ? below : beside;
  }

  #inColumns(width: number, rows: number): readonly string[] {
    const whole = this.#lines(width, undefined);
    const isLongDiff = whole.length > rows && this.#question.display.body?.type === 'diff';
    return isLongDiff ? this.#lines(width, Math.max(2, Math.floor((rows - 3) / 2))) : whole;
  }

  #lines(width: number, size: number | undefined): readonly string[] {
    const key = `${width} ${size}`;
    const known = this.#drawn.get(key);
    if (known) return known;
    if (this.#drawn.size >= MAX_DRAWN) this.#drawn.clear();
    const lines = this.#draw(width, size);
    this.#drawn.set(key, lines);
    return lines;
  }

  #draw(width: number, size: number | undefined): readonly string[] {
    const { display } = this.#question;
    const { body } = display;
    const title = cleanLine(display.title);
    const isTold = title === '' || this.#headline.includes(title);
    if (!body) {
      // A command is always shown by itself: the headline may be the model's.
      const isWhole = isTold && !this.#runsCommand && visibleWidth(this.#headline) <= width - TITLE_LINE;
      return isWhole ? [] : markedLines(this.#theme, display.title, partsInQuestion(this.#question), width);
    }
    if (body.type === 'text') {
      const head = isTold || body.text.includes(display.title.replace(/ …$/, '')) ? [] : wrap(title, width);
      return [...head, ...markedLines(this.#theme, body.text, partsInQuestion(this.#question), width)];
    }
    const head = isTold ? [] : wrap(title, width);
    if (body.type === 'diff') {
      const patch = size === undefined ? body.patch : pairPatch(body.patch, size);
      // The same object, so that a patch without replacements is not drawn twice.
      if (size !== undefined && patch === body.patch) return this.#lines(width, undefined);
      return [
        ...head,
        ...new DiffView(this.#theme, { ...body, patch }, { isWhole: true, isInDialog: true }).render(width),
      ];
    }
    const { lines, hidden } = bodyLines(this.#theme, body, width, { isExpanded: true });
    this.#hidden = hidden;
    const more = hidden > 0 ? [this.#theme.paint.muted(`… ${counted(hidden, 'more line')}`)] : [];
    return [...head, ...lines, ...more];
  }

  get #runsCommand(): boolean {
    return this.#question.effects.some(({ kind }) => kind === 'command');
  }
}
