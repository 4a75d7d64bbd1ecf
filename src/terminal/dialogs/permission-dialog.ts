import { matchesKey } from '@earendil-works/pi-tui';
import type { PermissionAnswer, PermissionQuestion, TrailEntry } from '../../contract/permission.js';
import type { Places } from '../../permissions/risks/place-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { ChoiceList } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';
import { effectLines, riskLines } from './effect-lines.js';
import { type AnswerChoice, answerChoices, headline, whyItAsks } from './question-words.js';
import { ScrollWindow } from './scroll-window.js';
import { SubjectView } from './subject-view.js';
import { TextField } from './text-field.js';

const INDENT = '  ';
const LEAST_SUBJECT = 5; // rows: less of a command or a diff could not be judged
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
  readonly #choices: { first: readonly AnswerChoice[]; all: readonly AnswerChoice[] };
  readonly #subject: SubjectView;
  readonly #window = new ScrollWindow();
  #list: ChoiceList<AnswerChoice>;
  #stage: Stage = { name: 'choosing' };
  #hasAllChoices = false;
  #hasDetails = false;
  /** Enter was pressed while nothing was selected. */
  #isUnclear = false;
  #focused = false;

  constructor(theme: Theme, facts: PermissionFacts, answer: (answer: PermissionAnswer | 'stop') => void) {
    const { question, places } = facts;
    this.#theme = theme;
    this.#facts = facts;
    this.#answer = answer;
    // A rule with invisible characters can't be agreed to.
    this.#rules = question.suggestions.filter((rule) => cleanLine(rule) === rule);
    this.#isHigh = question.risks.some(({ level }) => level === 'high');
    this.#choices = answerChoices(question, this.#rules);
    this.#subject = new SubjectView(theme, question, headline(question, places));
    this.#list = this.#listOf(this.#choices.first);
  }

  get hint(): string {
    if (this.#stage.name === 'editing') return 'enter to keep · empty to drop · esc to go back';
    if (this.#stage.name === 'refusing') return 'enter to refuse · esc to go back';
    if (this.#isUnclear) return 'y to allow it · n to refuse · esc to stop';
    const more = !this.#hasAllChoices && this.#choices.all.length > this.#choices.first.length;
    const choosing = this.#isHigh ? '↑↓ or a letter' : '↑↓ enter to choose';
    return `${choosing}${more ? ' · m for more' : ''} · esc to stop · ctrl+o ${this.#hasDetails ? 'less' : 'details'}`;
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
    const room = Math.max(1, width - INDENT.length);
    const asking = this.#asking(width);
    const why = this.#why(room);
    const effects = this.#effects(room);
    const gaps = 3 + (effects.length > 0 ? 1 : 0) + (why.length > 0 ? 1 : 0);
    const rows = Math.max(
      LEAST_SUBJECT,
      this.#facts.rows() - OTHER_ROWS - gaps - asking.length - why.length - effects.length,
    );
    const isCrowded = rows <= LEAST_SUBJECT && effects.length > LEAST_SUBJECT;
    const subject = this.#subject.render(room, rows);
    // Nothing is left out: if there is no room for all of it, all of it scrolls.
    const scrolled = isCrowded ? [...effects, ...(subject.length > 0 ? ['', ...subject] : [])] : subject;
    const space = isCrowded
      ? Math.max(LEAST_SUBJECT, this.#facts.rows() - OTHER_ROWS - gaps - asking.length - why.length)
      : rows;
    const { lines, note } = this.#window.show(scrolled, space);
    const above = note === undefined ? lines : [...lines, this.#theme.paint.muted(cut(note, room))];
    const sections = [above, isCrowded ? [] : effects, why].filter((section) => section.length > 0);
    return [
      titleLine(
        this.#theme,
        headline(this.#facts.question, this.#facts.places),
        width,
        this.#isHigh ? 'failure' : 'warning',
      ),
      '',
      ...sections.flatMap((section) => [...section.map((line) => `${INDENT}${line}`.trimEnd()), '']),
      ...asking,
    ];
  }

  #listOf(choices: readonly AnswerChoice[]): ChoiceList<AnswerChoice> {
    const items = choices.map((choice) => ({
      value: choice,
      key: choice.key,
      label: choice.label,
      ...(choice.rules && { description: choice.rules.join(', ') }),
    }));
    // What can't be taken back is not one careless Enter away.
    return new ChoiceList(this.#theme, items, this.#isHigh ? { focus: -1 } : {});
  }

  #choose(data: string): void {
    if (matchesKey(data, 'escape')) {
      this.#answer('stop');
      return;
    }
    const hasMore = this.#choices.all.length > this.#choices.first.length;
    if (!this.#hasAllChoices && hasMore && (data === 'm' || matchesKey(data, 'tab'))) {
      this.#hasAllChoices = true;
      this.#list = this.#listOf(this.#choices.all);
      return;
    }
    if (this.#window.isScrollable && this.#window.handle(data)) return;
    const done = this.#list.handle(data);
    this.#isUnclear = !done && this.#isHigh && matchesKey(data, 'enter');
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

  /** The risks, the other effects, and how the command will be confined. */
  #effects(width: number): string[] {
    const { question, places } = this.#facts;
    const { confinement } = question;
    const isSaid = confinement !== undefined && (this.#hasDetails || !confinement.startsWith('Runs without a sandbox'));
    return [
      ...riskLines(this.#theme, question.risks, width),
      ...effectLines(this.#theme, question, places, width),
      ...(isSaid ? wrap(cleanLine(confinement), width, INDENT).map(this.#theme.paint.muted) : []),
    ];
  }

  #why(width: number): string[] {
    const { question } = this.#facts;
    const trail = this.#hasDetails ? (question.decision.trail ?? []) : [];
    const told = trail.map((entry) => `${entry.decided ? '•' : '·'} ${trailWords(entry)}`);
    return [...whyItAsks(question).map(cleanLine), ...told].flatMap((line) =>
      wrap(line, width, INDENT).map(this.#theme.paint.muted),
    );
  }

  #asking(width: number): string[] {
    const stage = this.#stage;
    if (stage.name === 'choosing') return this.#list.render(width);
    if (stage.name === 'refusing') return ['What should be done instead?', ...stage.field.render(width)];
    const number = this.#rules.length > 1 ? ` ${stage.done.length + 1} of ${this.#rules.length}` : '';
    return [cut(`The rule${number} to save:`, width), ...stage.field.render(width)];
  }
}

function trailWords({ about, behavior, because, rule }: TrailEntry): string {
  const place = rule
    ? ` (${rule.list}: ${rule.text}, ${rule.file}${rule.line === undefined ? '' : `:${rule.line}`})`
    : '';
  return cleanLine(`${about}: ${behavior}, ${because}${place}`);
}
