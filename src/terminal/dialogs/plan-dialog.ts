import { matchesKey } from '@earendil-works/pi-tui';
import type { PermissionMode, PermissionQuestion } from '../../contract/permission.js';
import { PLAN_QUESTION, PLAN_REFUSAL_PROMPT, type PlanChoice, planChoices } from '../../display/plan-words.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from '../views/fit.js';
import { PlanView } from '../views/plan-view.js';
import { answerHint } from './answer-hint.js';
import { ChoiceList } from './choice-list.js';
import type { Dialog } from './dialog.js';
import { boxRoom, ScrolledBox } from './dialog-box.js';
import { proseWidth } from './scroll-window.js';
import { TextField } from './text-field.js';

type Way = PlanChoice['gives'] | 'change';

/** The call's input with another plan; undefined if it came without one. */
export function withPlan({ input }: PermissionQuestion, plan: string, changed: string) {
  if (typeof input !== 'object' || input === null) return undefined;
  const field = Object.entries(input).find(([, value]) => value === plan && plan !== '')?.[0];
  return field === undefined ? undefined : { ...input, [field]: changed };
}

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
  readonly #box: ScrolledBox;
  #plan: PlanView;
  #changed: string | undefined;
  #problem: string | undefined;
  #field: TextField | undefined;
  #focused = false;
  #isUnread = false;
  /** Enter was pressed while nothing was selected. */
  #wasEntered = false;

  constructor(theme: Theme, facts: PlanFacts, answer: (answer: PlanAnswer | 'stop') => void) {
    this.#theme = theme;
    this.#facts = facts;
    this.#plan = new PlanView(theme, facts.plan);
    this.#box = new ScrolledBox(theme, facts.rows);
    this.#answer = answer;
    const { modeAfter = 'default' } = facts;
    const choices = planChoices(modeAfter).map(({ gives, key, label }) => ({ value: gives, key, label }));
    this.#list = new ChoiceList<Way>(theme, [
      ...choices.filter(({ value }) => value !== 'refuse'),
      ...(facts.edit ? [{ value: 'change' as const, key: 'e', label: 'Change the plan first, in your editor' }] : []),
      ...choices.filter(({ value }) => value === 'refuse'),
    ]);
  }

  /** Until the plan has been read to its end, nothing is selected. Returns whether that has changed. */
  #block(isUnread: boolean): boolean {
    if (isUnread === this.#isUnread) return false;
    this.#isUnread = isUnread;
    if (isUnread) this.#list.select(-1);
    else if (!this.#list.focused) this.#list.select(0);
    return true;
  }

  get hint(): string {
    if (this.#field) return 'enter to send · esc to go back';
    const keys = answerHint({
      canReadOn: this.#isUnread,
      selected: this.#list.focused?.key,
      wasEntered: this.#wasEntered,
    });
    return `${this.#list.strayHint ?? keys} · esc to stop`;
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
    this.#wasEntered = false;
    if (this.#box.handle(data)) return;
    const done = this.#list.handle(data);
    this.#wasEntered = !done && matchesKey(data, 'enter');
    if (!done || !('chosen' in done)) return;
    const changed = this.#changed === undefined ? {} : { plan: this.#changed };
    const { chosen } = done;
    if (chosen === 'change') {
      void this.#change();
    } else if (chosen === 'refuse') {
      this.#field = new TextField();
      this.#field.focused = this.#focused;
    } else {
      const { mode } = chosen;
      this.#answer({ behavior: 'allow', ...(mode && { mode }), ...changed });
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
    const room = boxRoom(width);
    const said = (text: string | undefined): string[] => (text ? wrap(cleanLine(text), room) : []);
    const blocks = [
      this.#plan.render(Math.min(room, proseWidth(width))),
      said(this.#facts.reason).map(paint.muted),
      said(this.#problem).map(paint.warning),
    ];
    const draw = (): string[] => {
      const answers = this.#field ? [PLAN_REFUSAL_PROMPT, ...this.#field.render(width)] : this.#list.render(width);
      return this.#box.render({ title: PLAN_QUESTION, tone: 'plan', blocks, answers }, width);
    };
    const lines = draw();
    return this.#block(this.#box.isUnread) ? draw() : lines;
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
