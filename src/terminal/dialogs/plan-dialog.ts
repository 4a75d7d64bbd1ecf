import { matchesKey } from '@earendil-works/pi-tui';
import type { PermissionAnswer, PermissionQuestion } from '../../contract/permission.js';
import type { Theme } from '../theme.js';
import { cleanLine, wrap } from '../views/fit.js';
import { PlanView } from '../views/plan-view.js';
import { ChoiceList } from './choice-list.js';
import { type Dialog, titleLine } from './dialog.js';
import { TextField } from './text-field.js';

type Way = 'approve' | 'approveEdits' | 'no';

/** The plan that a question is about: one that would change the mode and nothing else, with words to agree to. */
export function planOf({ effects, display }: PermissionQuestion): string | undefined {
  const changesMode = effects.every((effect) => effect.kind === 'session' && effect.what === 'mode');
  return changesMode && display.title === 'plan' && display.body?.type === 'text' ? display.body.text : undefined;
}

/** Is this the plan? Yes, yes with edits accepted without more questions, or no with words. */
export class PlanDialog implements Dialog {
  readonly #theme: Theme;
  readonly #reason: string;
  readonly #plan: PlanView;
  readonly #list: ChoiceList<Way>;
  readonly #answer: (answer: PermissionAnswer) => void;
  #field: TextField | undefined;
  #focused = false;

  constructor(
    theme: Theme,
    { plan, reason = '' }: { plan: string; reason?: string },
    answer: (answer: PermissionAnswer) => void,
  ) {
    this.#theme = theme;
    this.#reason = reason;
    this.#plan = new PlanView(theme, plan);
    this.#answer = answer;
    this.#list = new ChoiceList<Way>(theme, [
      { value: 'approve', key: 'y', label: 'Yes, begin' },
      { value: 'approveEdits', key: 'a', label: 'Yes, and accept edits from now on' },
      { value: 'no', key: 'n', label: 'No, and say what should change' },
    ]);
  }

  get hint(): string {
    return this.#field ? 'enter to send · esc to go back' : '↑↓ enter · esc for no';
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
      this.#answer({ behavior: 'deny' });
      return;
    }
    const done = this.#list.handle(data);
    if (!done || !('chosen' in done)) return;
    if (done.chosen === 'approve') {
      this.#answer({ behavior: 'allow' });
      return;
    }
    if (done.chosen === 'approveEdits') {
      this.#answer({ behavior: 'allow', mode: 'acceptEdits' });
      return;
    }
    this.#field = new TextField();
    this.#field.focused = this.#focused;
  }

  render(width: number): string[] {
    const reason = this.#reason === '' ? [] : ['', ...wrap(this.#theme.paint.muted(cleanLine(this.#reason)), width)];
    const asking = this.#field ? ['What should change?', ...this.#field.render(width)] : this.#list.render(width);
    return [titleLine(this.#theme, 'Is this the plan?', width), ...this.#plan.render(width), ...reason, '', ...asking];
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
