import { type Component, visibleWidth } from '@earendil-works/pi-tui';
import { shortCost, shortCount, shortTime } from '../../platform/text/short-amounts.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, cut } from './fit.js';

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;
const FRAME_MS = 100;
const LEAST_LABEL = 24; // columns of a label, before the numbers are left out
const SIGNS = 4; // the spinner, the ellipsis and two blanks

export interface SpinnerFacts {
  /** The current activity: `Thinking`, `Running the tests`. */
  label?: string;
  inputTokens?: number;
  outputTokens?: number;
  /** In US dollars; null if unknown. */
  costUsd?: number | null;
  /** What the user can do: `esc to stop`. */
  hint?: string;
}

/** The spinner with elapsed time, tokens and cost. The frame depends only on the time. */
export class SpinnerView implements Component {
  readonly #theme: Theme;
  readonly #now: () => number;
  #startedAt: number | undefined;
  #pausedAt: number | undefined;
  #facts: SpinnerFacts = {};

  constructor(theme: Theme, { now }: { now: () => number }) {
    this.#theme = theme;
    this.#now = now;
  }

  /** The redraw interval. */
  static readonly frameMs = FRAME_MS;

  get isRunning(): boolean {
    return this.#startedAt !== undefined;
  }

  start(facts: SpinnerFacts = {}): void {
    this.#startedAt = this.#now();
    this.#pausedAt = undefined;
    this.#facts = facts;
  }

  /** The time in which a question waits for the user is not counted. */
  pauseWhile(isPaused: boolean): void {
    if (this.#startedAt === undefined) return;
    if (isPaused) this.#pausedAt ??= this.#now();
    else if (this.#pausedAt !== undefined) {
      this.#startedAt += this.#now() - this.#pausedAt;
      this.#pausedAt = undefined;
    }
  }

  update(facts: SpinnerFacts): void {
    this.#facts = { ...this.#facts, ...facts };
  }

  stop(): void {
    this.#startedAt = undefined;
  }

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#startedAt === undefined) return [];
    const { paint } = this.#theme;
    const { label = 'Working', inputTokens = 0, outputTokens = 0, costUsd, hint } = this.#facts;
    const elapsed = this.#now() - this.#startedAt;
    const frame = FRAMES[Math.floor(elapsed / FRAME_MS) % FRAMES.length] ?? FRAMES[0];
    const tokens =
      inputTokens + outputTokens > 0 ? [`↑ ${shortCount(inputTokens)} ↓ ${shortCount(outputTokens)} tokens`] : [];
    const cost = costUsd === undefined || costUsd === null ? [] : [shortCost(costUsd)];
    const hints = hint === undefined ? [] : [hint];
    const words = cleanLine(label);
    const full = [shortTime(elapsed), ...tokens, ...cost, ...hints].join(' · ');
    // The keys stay readable: the label gives way first, then the numbers.
    const least = Math.min(LEAST_LABEL, visibleWidth(words));
    const facts = width - visibleWidth(full) - SIGNS >= least ? full : [shortTime(elapsed), ...hints].join(' · ');
    const room = Math.max(least, width - visibleWidth(facts) - SIGNS);
    const shown = visibleWidth(words) <= room ? `${words}…` : cut(words, room + 1);
    return [cut(`${paint.accent(frame)} ${shown} ${paint.muted(facts)}`, width)];
  }
}
