import type { Component } from '@earendil-works/pi-tui';
import type { WantedPrompt } from '../session/conversation.js';
import { cleanLine, cut } from '../views/fit.js';
import type { Theme } from './theme.js';

const SHOWN = 3;

/** Queued prompts: typed while the model works, and not sent yet. */
export class WaitingView implements Component {
  readonly #theme: Theme;
  readonly #waiting: () => readonly WantedPrompt[];

  constructor(theme: Theme, waiting: () => readonly WantedPrompt[]) {
    this.#theme = theme;
    this.#waiting = waiting;
  }

  invalidate(): void {}

  render(width: number): string[] {
    const waiting = this.#waiting();
    const { muted } = this.#theme.paint;
    const lines = waiting.slice(0, SHOWN).map(({ text, shown = text }) => muted(cut(`» ${cleanLine(shown)}`, width)));
    if (waiting.length === 0) return [];
    const more = waiting.length > SHOWN ? [muted(`» and ${waiting.length - SHOWN} more`)] : [];
    return [...lines, ...more, muted(cut('  goes to the model with its next step · up to change it', width))];
  }
}
