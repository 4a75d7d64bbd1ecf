import { matchesKey, visibleWidth } from '@earendil-works/pi-tui';
import type { PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import {
  type AnswerChoice,
  answerChoices,
  headline,
  MAX_HEADLINE,
  mayPreselectYes,
  PARTIAL_WARNING,
  REFUSAL_PROMPT,
  riskMarks,
  risksBelow,
  whyItAsks,
} from '../../display/question-words.js';
import { trailWords } from '../../display/trail-words.js';
import type { Places } from '../../permissions/risks/place-words.js';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { answerHint } from './answer-hint.js';
import { ChoiceList } from './choice-list.js';
import type { Dialog } from './dialog.js';
import { boxLines, boxRoom } from './dialog-box.js';
import { effectLines, riskLines } from './effect-lines.js';
import { rowsWhenNarrowed, ScrollWindow } from './scroll-window.js';
import { SubjectView } from './subject-view.js';
import { TextField } from './text-field.js';

const INDENT = '  ';
const LEAST_SUBJECT = 5; // rows: less of a command or a diff is hard to judge
const LEAST_ROWS = 3; // of the subject in the smallest window, with the note that there is more
const ROWS_BELOW = 4; // the hint and the status line
const OTHER_ROWS = 9; // below and above the dialog: the call's line, the activity, the hint, the status line

/** The user's current step: choosing, editing the rules one by one, or giving a reason. */
type Stage =
  | { name: 'choosing' }
  | { name: 'editing'; field: TextField; done: readonly string[]; left: readonly string[] }
  | { name: 'refusing'; field: TextField };

export interface PermissionFacts {
  question: PermissionQuestion;
  places: Places;
  /** The height of the window: the question fits into it, and its text scrolls. */
  rows(): number;
}

/** What is drawn between the title and the choices. */
interface Layout {
  sections: ReadonlyArray<readonly string[]>;
  /** Something that the answer depends on is not visible. */
  isUnread: boolean;
  /** Without empty lines. */
  isTight?: boolean;
  /** The choices take one line. */
  isFolded?: boolean;
}

/**
 * Asks whether a call may run. Everything that the answer depends on is shown as it really is: paths, parts, risks,
 * rules. `stop` means that the user wants the whole turn to end.
 */
export class PermissionDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: PermissionFacts;
  readonly #answer: (answer: PermissionAnswer | 'stop') => void;
  readonly #rules: readonly string[];
  readonly #isHigh: boolean;
  readonly #preselectsYes: boolean;
  readonly #allRead: ReturnType<typeof answerChoices>;
  #choices: ReturnType<typeof answerChoices>;
  /** What has not been on the screen. */
  #unread: string | undefined;
  readonly #subject: SubjectView;
  readonly #window = new ScrollWindow();
  /** Yes and no, for a window without space for the list. */
  readonly #folded: ChoiceList<AnswerChoice>;
  #list: ChoiceList<AnswerChoice>;
  #stage: Stage = { name: 'choosing' };
  #hasAllChoices = false;
  #hasDetails = false;
  #isFolded = false;
  #isUnread = false;
  /** Enter was pressed while nothing was selected. */
  #wasEntered = false;
  #focused = false;

  constructor(theme: Theme, facts: PermissionFacts, answer: (answer: PermissionAnswer | 'stop') => void) {
    const { question, places } = facts;
    this.#theme = theme;
    this.#facts = facts;
    this.#answer = answer;
    // A rule with invisible characters can't be agreed to.
    this.#rules = question.suggestions.filter((rule) => cleanLine(rule) === rule);
    this.#isHigh = question.risks.some(({ level }) => level === 'high');
    this.#preselectsYes = mayPreselectYes(question.risks);
    this.#allRead = answerChoices(question, this.#rules);
    this.#choices = this.#allRead;
    this.#subject = new SubjectView(theme, question, headline(question, places));
    this.#list = this.#listOf(this.#choices.first);
    const short = this.#choices.first
      .filter(({ key }) => key === 'y' || key === 'n')
      .map((choice) => ({ value: choice, key: choice.key, label: choice.key === 'y' ? 'Yes' : 'No' }));
    this.#folded = new ChoiceList(theme, short, { focus: -1 });
  }

  get hint(): string {
    if (this.#stage.name === 'editing') return 'enter to keep · empty to drop · esc to go back';
    if (this.#stage.name === 'refusing') return 'enter to refuse · esc to go back';
    const stray = (this.#isFolded ? this.#folded : this.#list).strayHint;
    if (stray !== undefined) return `${stray} · esc to stop`;
    const keys = answerHint({
      canReadOn: !this.#window.hasShownEnd,
      selected: (this.#isFolded ? this.#folded : this.#list).focused?.key,
      wasEntered: this.#wasEntered,
    });
    if (this.#wasEntered) return `${keys} · esc to stop`;
    if (this.#isFolded) return 'y, n or m · esc to stop';
    const more = !this.#hasAllChoices && this.#choices.all.length > this.#choices.first.length;
    return `${keys}${more ? ' · m for more' : ''} · esc to stop · ctrl+o ${this.#hasDetails ? 'less' : 'details'}`;
  }

  get takesText(): boolean {
    return this.#stage.name !== 'choosing';
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    if (this.#stage.name !== 'choosing') this.#stage.field.focused = value;
  }

  invalidate(): void {
    this.#subject.invalidate();
  }

  handleInput(data: string): void {
    if (matchesKey(data, 'ctrl+o')) {
      this.#hasDetails = !this.#hasDetails;
      return;
    }
    if (this.#stage.name === 'choosing') {
      this.#choose(data);
      return;
    }
    const done = this.#stage.field.handle(data);
    if (!done) return;
    if ('left' in done) this.#stage = { name: 'choosing' };
    else if (this.#stage.name === 'refusing') this.#refuse(done.submitted);
    else this.#keepRule(done.submitted.trim(), this.#stage.done, this.#stage.left);
  }

  render(width: number): string[] {
    const { question, places } = this.#facts;
    const mark = question.irreversible === undefined ? '' : `${riskMarks.high} `;
    const title = `${mark}${headline(question, places, (text, beside) => fitted(text, beside, width - 6 - mark.length))}`;
    const layout = this.#layout(width, boxRoom(width), title);
    this.#offerChoices();
    this.#isFolded = layout.isFolded ?? false;
    this.#block(layout.isUnread);
    return boxLines(
      this.#theme,
      {
        title,
        tone: this.#isHigh ? 'failure' : 'warning',
        blocks: layout.sections,
        answers: layout.isFolded ? this.#foldedLine(width) : this.#asking(width),
        isTight: layout.isTight ?? false,
      },
      width,
    );
  }

  /**
   * Every risk is visible, and the subject has been read to its end, or Enter alone chooses nothing. In a small window,
   * empty lines go first, then what is no risk, then all but two choices.
   */
  #layout(width: number, room: number, title: string): Layout {
    const heightOf = (lines: readonly string[]): number => rowsWhenNarrowed(lines, width);
    // The choices that come once all was read have their rows from the beginning, so that the text does not move then.
    const asking = Math.max(
      heightOf(this.#asking(width)),
      this.#unread === undefined ? 0 : heightOf(this.#listOf(this.#allRead.first).render(width)),
    );
    const why = this.#why(room);
    const isLong = this.#subject.render(room, Number.POSITIVE_INFINITY).length > LEAST_SUBJECT;
    const risks = this.#risks(room, isLong, title);
    const effects = this.#effects(room);
    const gaps = 3 + (risks.length + effects.length > 0 ? 1 : 0) + (why.length > 0 ? 1 : 0);
    const others = asking + heightOf(why) + heightOf(risks) + heightOf(effects);
    const space = this.#facts.rows() - OTHER_ROWS - gaps - others;
    const subject = this.#subject.render(room, Math.max(LEAST_SUBJECT, space));
    if (space >= Math.min(LEAST_SUBJECT, subject.length)) {
      const shown = this.#scrolled(subject, space, width);
      return { sections: [shown, [...risks, ...effects], why], isUnread: this.#isUnseen };
    }
    const inner = this.#facts.rows() - ROWS_BELOW - 1;
    const all = [...subject, ...effects, ...why];
    const tight = inner - risks.length - asking;
    if (tight >= Math.min(LEAST_SUBJECT, all.length)) {
      const shown = this.#scrolled(all, tight, width);
      return { sections: [shown, risks], isUnread: this.#isUnseen, isTight: true };
    }
    const isFolded = this.#stage.name === 'choosing' && !this.#hasAllChoices;
    const few = inner - risks.length - (isFolded ? 1 : asking);
    if (few >= LEAST_ROWS) {
      return { sections: [this.#scrolled(all, few, width), risks], isUnread: true, isTight: true, isFolded };
    }
    // Even the risks do not fit: everything scrolls.
    const rows = Math.max(LEAST_ROWS, inner - (isFolded ? 1 : asking));
    const scrolled = this.#scrolled([...risks, ...all], rows, width);
    return { sections: [scrolled], isUnread: true, isTight: true, isFolded };
  }

  /** A part of the subject is too large to be shown, or has not been scrolled to. */
  get #isUnseen(): boolean {
    return this.#subject.isPartial || !this.#window.hasShownEnd;
  }

  /** Fewer choices, as long as something has not been on the screen. */
  #offerChoices(): void {
    const { unseen } = this.#window;
    const unread = unseen > 0 ? `without reading the last ${counted(unseen, 'line')}` : undefined;
    if (unread === this.#unread) return;
    this.#unread = unread;
    this.#choices = unread === undefined ? this.#allRead : answerChoices(this.#facts.question, this.#rules, unread);
    const selected = this.#list.focused?.key;
    const choices = this.#hasAllChoices ? this.#choices.all : this.#choices.first;
    this.#list = this.#listOf(choices);
    this.#list.select(choices.findIndex(({ key }) => key === selected));
  }

  #scrolled(text: readonly string[], rows: number, width: number): string[] {
    const { lines, note } = this.#window.show(text, rows, width);
    if (note === undefined) return [...lines];
    const isSmall = rows < LEAST_SUBJECT;
    const shown = isSmall ? 'enlarge the window, or pgdn to read all' : note;
    return [...lines, this.#theme.paint.muted(cut(shown, boxRoom(width)))];
  }

  /** While something that matters has not been seen, nothing is selected. */
  #block(isUnread: boolean): void {
    if (isUnread === this.#isUnread) return;
    this.#isUnread = isUnread;
    if (isUnread) this.#list.select(-1);
    else if (this.#preselectsYes && !this.#list.focused) this.#list.select(0);
  }

  #foldedLine(width: number): string[] {
    const { paint } = this.#theme;
    const choices = this.#folded.choices.map(({ key, label }) => {
      const text = `${key} ${label}`;
      return this.#folded.focused?.key === key ? paint.selected(`❯ ${text}`) : text;
    });
    return [cut(`${INDENT}${[...choices, 'm more', 'esc'].join(' · ')}`, width)];
  }

  #listOf(choices: readonly AnswerChoice[]): ChoiceList<AnswerChoice> {
    const items = choices.map((choice) => ({
      value: choice,
      key: choice.key,
      label: choice.label,
      ...(choice.about !== undefined && { description: choice.about }),
    }));
    // What can't be taken back is not one careless Enter away.
    return new ChoiceList(this.#theme, items, this.#preselectsYes && !this.#isUnread ? {} : { focus: -1 });
  }

  #choose(data: string): void {
    this.#wasEntered = false;
    if (matchesKey(data, 'escape')) {
      this.#answer('stop');
      return;
    }
    const hasMore = this.#choices.all.length > this.#choices.first.length;
    if (!this.#hasAllChoices && (hasMore || this.#isFolded) && (data === 'm' || matchesKey(data, 'tab'))) {
      this.#hasAllChoices = true;
      this.#list = this.#listOf(this.#choices.all);
      return;
    }
    if (this.#window.isScrollable && this.#window.handle(data)) return;
    const done = (this.#isFolded ? this.#folded : this.#list).handle(data);
    this.#wasEntered = !done && matchesKey(data, 'enter');
    if (!done || !('chosen' in done)) return;
    const { gives } = done.chosen;
    if (gives === 'edit') this.#editNext([], this.#rules);
    else if (gives === 'refuse') this.#stage = { name: 'refusing', field: this.#field('') };
    else this.#answer(gives);
  }

  #field(text: string): TextField {
    const field = new TextField({ text });
    field.focused = this.#focused;
    return field;
  }

  #editNext(done: readonly string[], left: readonly string[]): void {
    this.#stage = { name: 'editing', field: this.#field(left[0] ?? ''), done, left };
  }

  #keepRule(rule: string, before: readonly string[], left: readonly string[]): void {
    const done = rule === '' ? before : [...before, rule];
    const rest = left.slice(1);
    if (rest.length > 0) {
      this.#editNext(done, rest);
      return;
    }
    this.#answer(
      done.length === 0 ? { behavior: 'allow' } : { behavior: 'allow', remember: { rules: done, scope: 'always' } },
    );
  }

  #refuse(words: string): void {
    const reason = words.trim();
    this.#answer(reason === '' ? { behavior: 'deny' } : { behavior: 'deny', reason });
  }

  /** Of a long command, each risk quotes its part, which may be pages away. */
  #risks(width: number, isLong: boolean, title: string): string[] {
    const { paint } = this.#theme;
    const warning = `▲ ${PARTIAL_WARNING}`;
    const { question } = this.#facts;
    return [
      ...(this.#subject.isPartial ? wrap(warning, width, INDENT).map((line) => paint.failure(line)) : []),
      ...riskLines(this.#theme, risksBelow(question, title), width, { quotesParts: isLong }),
    ];
  }

  /** The effects that are no risks, and how the command will be confined. */
  #effects(width: number): string[] {
    const { question, places } = this.#facts;
    const { confinement } = question;
    const isSaid = confinement !== undefined && (this.#hasDetails || !confinement.startsWith('Runs without a sandbox'));
    return [
      ...effectLines(this.#theme, question, places, width),
      ...(isSaid ? wrap(cleanLine(confinement), width, INDENT).map(this.#theme.paint.muted) : []),
    ];
  }

  #why(width: number): string[] {
    const { question, places } = this.#facts;
    const told = this.#hasDetails ? trailWords(question, places).map(cleanLine) : [];
    return [...whyItAsks(question).map(cleanLine), ...told].flatMap((line) =>
      wrap(line, width, INDENT).map(this.#theme.paint.muted),
    );
  }

  #asking(width: number): string[] {
    const stage = this.#stage;
    if (stage.name === 'choosing') return this.#list.render(width);
    if (stage.name === 'refusing') return [REFUSAL_PROMPT, ...stage.field.render(width)];
    const number = this.#rules.length > 1 ? ` ${stage.done.length + 1} of ${this.#rules.length}` : '';
    return [cut(`The rule${number} to save:`, width), ...stage.field.render(width)];
  }
}

/** The text, shortened so that it fits with what stands beside it. */
function fitted(text: string, beside: string, columns: number): string {
  const room = Math.min(columns, MAX_HEADLINE) - visibleWidth(cleanLine(beside));
  return cut(cleanLine(text), Math.max(8, room));
}
