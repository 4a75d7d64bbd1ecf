import type { Component } from '@earendil-works/pi-tui';
import type { Theme } from '../screen/theme.js';
import { MarkdownView } from './markdown-view.js';

const BAR = '│ ';

/**
 * Link definitions draw nothing, so instructions could hide in them: `[//]: # (…)`. A backslash makes them text. The
 * user must see all that the model gets back as the agreed plan.
 */
const withDefinitions = (plan: string): string =>
  plan.replaceAll(/^([ \t>*+\d.)-]{0,100})\[(?=(?:\\.|[^\]\\]){0,1000}\]:)/gm, '$1\\[');

/** A plan, set off from the text around it. */
export class PlanView implements Component {
  readonly #theme: Theme;
  readonly #title: string | undefined;
  readonly #plan: MarkdownView;

  constructor(theme: Theme, plan: string, { title }: { title?: string } = {}) {
    this.#theme = theme;
    this.#title = title;
    this.#plan = new MarkdownView(theme, withDefinitions(plan));
  }

  invalidate(): void {
    this.#plan.invalidate();
  }

  render(width: number): string[] {
    const { paint } = this.#theme;
    const lines = this.#plan.render(Math.max(1, width - BAR.length));
    const shown = lines.length === 0 ? [paint.muted('(the plan is empty)')] : lines;
    const head = this.#title === undefined ? [] : [paint.heading(this.#title)];
    return [...head, ...shown.map((line) => `${paint.plan(BAR)}${line}`.trimEnd())];
  }
}
