import { matchesKey } from '@earendil-works/pi-tui';
import { modeWords, type PermissionMode, type PermissionQuestion } from '../../contract/permission.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut, wrap } from '../views/fit.js';
import { PlanView } from '../views/plan-view.js';
import { ChoiceList } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';
import { ScrollWindow } from './scroll-window.js';
import { TextField } from './text-field.js';

const OTHER_ROWS = 14; // the call's line, the title, the choices, the hint and the status line
const LEAST_ROWS = 5;

type Way = 'approve' | 'approveEdits' | 'change' | 'no';

/** The call's input with another plan; undefined if it came without one. */
export function withPlan({ input }: PermissionQuestion, plan: string, changed: string) {
  if (typeof input !== 'object' || input === null) return undefined;
  const field = Object.entries(input).find(([, value]) => value === plan && plan !== '')?.[0];
  return field === undefined ? undefined : { ...input, [field]: changed };
}

/** The reason of the question, if it says more than what the choices say. */
export const moreOfPlan = ({ reason }: PermissionQuestion): string =>
  /^the plan waits for approval; with it the mode becomes "[^"]*"$/.test(reason) ? '' : reason;

export interface PlanFacts {
  plan: string;
  /** What else approval means: child agents that run the steps, or a rule. */
  reason?: string;
  /** The mode before plan mode. */
  modeAfter?: PermissionMode;
  /** Opens the plan in an editor; undefined if a changed plan could not be sent back. */
  edit?: ((plan: string) => Promise<{ text: string } | { problem: string }>) | undefined;
  /** The height of the window: a longer plan scrolls. */
  rows?(): number;
  /** The plan was changed, or could not be: redraw it. */
  onChange?: () => void;
}

/** The user's answer to a plan. `plan` is set if they have changed it. */
export type PlanAnswer =
  | { behavior: 'allow'; mode?: 'default' | 'acceptEdits'; plan?: string }
  | { behavior: 'deny'; reason?: string };

/** Asks for approval of a plan: yes, yes with edits accepted automatically, yes with changes, or no with a reason. */
export class PlanDialog implements Dialog {
  readonly #theme: Theme;
  readonly #facts: PlanFacts;
  readonly #list: ChoiceList<Way>;
  readonly #answer: (answer: PlanAnswer | 'stop') => void;
  /** Edits are accepted only if the user says so, whatever the mode was before. */
  readonly #asksForEdits: boolean;
  readonly #window = new ScrollWindow();
  #plan: PlanView;
  #changed: string | undefined;
  #problem: string | undefined;
  #field: TextField | undefined;
  #focused = false;
  #isUnread = false;

  constructor(theme: Theme, facts: PlanFacts, answer: (answer: PlanAnswer | 'stop') => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#plan = new PlanView(theme, facts.plan);
    this.#answer = answer;
    const { modeAfter = 'default' } = facts;
    this.#asksForEdits = modeAfter === 'default' || modeAfter === 'acceptEdits';
    this.#list = new ChoiceList<Way>(theme, [
      {
        value: 'approve',
        key: 'y',
        label: this.#asksForEdits ? 'Yes, and ask before each edit' : `Yes, and return to ${modeWords[modeAfter]}`,
      },
      { value: 'approveEdits', key: 'a', label: 'Yes, and accept edits' },
      ...(facts.edit ? [{ value: 'change' as const, key: 'e', label: 'Change the plan first, in your editor' }] : []),
      { value: 'no', key: 'n', label: 'No, and say what should change' },
    ]);
  }

  /** Until the plan has been read to its end, nothing is selected. */
  #block(isUnread: boolean): void {
    if (isUnread === this.#isUnread) return;
    this.#isUnread = isUnread;
    if (isUnread) this.#list.select(-1);
    else if (!this.#list.focused) this.#list.select(0);
  }

  get hint(): string {
    if (this.#field) return 'enter to send · esc to go back';
    const usual = this.#isUnread ? 'pgdn to read on, or a letter' : '↑↓ enter to choose';
    return `${this.#list.strayHint ?? usual} · esc to stop`;
  }

  get takesText(): boolean {
    return this.#field !== undefined;
  }

  get focused(): boolean {
    return this.#focused;
  }

  set focused(value: boolean) {
    this.#focused = value;
    if (this.#field) this.#field.focused = value;
  }

  invalidate(): void {
    this.#plan.invalidate();
  }

  handleInput(data: string): void {
    if (this.#field) {
      this.#write(data, this.#field);
      return;
    }
    if (matchesKey(data, 'escape')) {
      this.#answer('stop');
      return;
    }
    if (this.#window.isScrollable && this.#window.handle(data)) return;
    const done = this.#list.handle(data);
    if (!done || !('chosen' in done)) return;
    const changed = this.#changed === undefined ? {} : { plan: this.#changed };
    switch (done.chosen) {
      case 'approve':
        this.#answer({ behavior: 'allow', ...(this.#asksForEdits && { mode: 'default' as const }), ...changed });
        return;
      case 'approveEdits':
        this.#answer({ behavior: 'allow', mode: 'acceptEdits', ...changed });
        return;
      case 'change':
        void this.#change();
        return;
      case 'no':
        this.#field = new TextField();
        this.#field.focused = this.#focused;
    }
  }

  async #change(): Promise<void> {
    const { plan, edit, onChange } = this.#facts;
    const edited = await edit?.(this.#changed ?? plan);
    if (!edited) return;
    this.#problem = 'problem' in edited ? edited.problem : undefined;
    if ('text' in edited && edited.text.trim() !== '') {
      this.#changed = edited.text === plan ? undefined : edited.text;
      this.#plan = new PlanView(
        this.#theme,
        edited.text,
        this.#changed === undefined ? {} : { title: 'Changed by you' },
      );
    }
    onChange?.();
  }

  render(width: number): string[] {
    const { paint } = this.#theme;
    const words = [this.#facts.reason ?? '', this.#problem ?? ''].filter((text) => text !== '').map(cleanLine);
    const reason = words.flatMap((text, index) => [
      '',
      ...wrap(text, width).map(index === 0 ? paint.muted : paint.warning),
    ]);
    const rows = this.#facts.rows?.() ?? Number.POSITIVE_INFINITY;
    const { lines, note } = this.#window.show(this.#plan.render(width), Math.max(LEAST_ROWS, rows - OTHER_ROWS));
    this.#block(!this.#window.hasShownEnd);
    const asking = this.#field ? ['What should change?', ...this.#field.render(width)] : this.#list.render(width);
    return [
      titleLine(this.#theme, 'Start with this plan?', width),
      '',
      ...lines,
      ...(note === undefined ? [] : [paint.muted(cut(note, width))]),
      ...reason,
      '',
      ...asking,
    ];
  }

  #write(data: string, field: TextField): void {
    const done = field.handle(data);
    if (!done) return;
    if ('left' in done) {
      this.#field = undefined;
      return;
    }
    const reason = done.submitted.trim();
    this.#answer(reason === '' ? { behavior: 'deny' } : { behavior: 'deny', reason });
  }
}
