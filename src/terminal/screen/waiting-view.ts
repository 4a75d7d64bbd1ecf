import type { Component } from '@earendil-works/pi-tui';
import type { WantedPrompt } from '../session/conversation.js';
import type { WaitingLine } from '../session/typed-lines.js';
import { cleanLine, cut } from '../views/fit.js';
import type { Theme } from './theme.js';

const SHOWN = 3;

interface Waiting {
  conversation: { readonly waiting: readonly WantedPrompt[] };
  typed(): { readonly waiting: readonly WaitingLine[] };
  /** `held`: outputs that are shown once a block of the answer is complete. */
  views: { readonly held: number };
}

/** Prompts and commands that were typed while the model works, and wait for it. */
export class WaitingView implements Component {
  readonly #theme: Theme;
  readonly #waiting: Waiting;

  constructor(theme: Theme, waiting: Waiting) {
    this.#theme = theme;
    this.#waiting = waiting;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const { conversation, typed, views } = this.#waiting;
    const prompts = conversation.waiting;
    const queued = prompts.slice(0, SHOWN).map(({ text, shown = text }) => `» ${cleanLine(shown)}`);
    const more = prompts.length > SHOWN ? [`» and ${prompts.length - SHOWN} more`] : [];
    const where = prompts.length === 0 ? [] : ['  goes to the model with its next step · up to change it'];
    const later = typed().waiting.map(({ line, waitsFor }) => `» ${cleanLine(line)} · ${untilWords[waitsFor]}`);
    const below = views.held === 0 ? [] : ['» What you asked for is shown when this part of the answer is complete'];
    return [...queued, ...more, ...where, ...later, ...below].map((line) => this.#theme.paint.muted(cut(line, width)));
  }
}

const untilWords: Readonly<Record<WaitingLine['waitsFor'], string>> = {
  model: 'runs when the model is done',
  call: 'runs after the call before it',
};
