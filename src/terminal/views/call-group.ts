import type { Component } from '@earendil-works/pi-tui';
import { counted } from '../../platform/text/counted.js';
import type { Theme } from '../screen/theme.js';
import { cleanLine, wrap } from './fit.js';
import { looksLine } from './looks-line.js';
import type { StreamedCall } from './streamed-call.js';

/**
 * Calls that follow each other. Those that only look, and those that were not run for one reason, are drawn as one line
 * until they are expanded.
 */
export class CallGroup implements Component {
  readonly #theme: Theme;
  readonly #shorten: (text: string) => string;
  #calls: StreamedCall[] = [];
  /** The row behind each call in the last frame. */
  readonly #ends = new Map<StreamedCall, number>();
  #isExpanded = false;

  constructor(theme: Theme, { shorten = (text) => text }: { shorten?: (text: string) => string } = {}) {
    this.#theme = theme;
    this.#shorten = shorten;
  }

  add(call: StreamedCall): void {
    this.#calls.push(call);
  }

  remove(call: StreamedCall): void {
    this.#calls = this.#calls.filter((one) => one !== call);
  }

  get size(): number {
    return this.#calls.length;
  }

  get isOver(): boolean {
    return this.#calls.every(({ view }) => view.isOver);
  }

  /** The row behind the call in the last frame. */
  endOf(call: StreamedCall): number {
    return this.#ends.get(call) ?? 0;
  }

  get isExpanded(): boolean {
    return this.#isExpanded;
  }

  set isExpanded(value: boolean) {
    this.#isExpanded = value;
    for (const { view } of this.#calls) view.isExpanded = value;
  }

  invalidate(): void {
    for (const call of this.#calls) call.invalidate();
  }

  render(width: number): string[] {
    const lines: string[] = [];
    let hadBody = false;
    for (let at = 0; at < this.#calls.length; ) {
      const looks = this.#looksFrom(at);
      const notRun = this.#notRunFrom(at);
      const folded = looks.length > 1 ? looks : notRun;
      const calls = folded.length > 1 ? folded : this.#calls.slice(at, at + 1);
      const drawn =
        looks.length > 1
          ? [this.#folded(looks, width)]
          : notRun.length > 1
            ? this.#notRun(notRun, width)
            : (calls[0]?.render(width) ?? []);
      if (drawn.length > 0) {
        // What a call has shown ends where the next one begins.
        if (hadBody) lines.push('');
        lines.push(...drawn);
        hadBody = drawn.length > 1;
      }
      for (const call of calls) this.#ends.set(call, lines.length);
      at += calls.length;
    }
    return lines;
  }

  /** The calls from here on that can be one line. */
  #looksFrom(start: number): StreamedCall[] {
    if (this.#isExpanded) return [];
    const end = this.#calls.findIndex((call, index) => index >= start && !canFold(call));
    return this.#calls.slice(start, end === -1 ? undefined : end);
  }

  /** The calls from here on that were not run for the same reason. */
  #notRunFrom(start: number): StreamedCall[] {
    const reason = this.#calls[start]?.view.notRunReason;
    if (this.#isExpanded || reason === undefined) return [];
    const end = this.#calls.findIndex(({ view }, index) => index >= start && view.notRunReason !== reason);
    return this.#calls.slice(start, end === -1 ? undefined : end);
  }

  #notRun(calls: readonly StreamedCall[], width: number): string[] {
    const { paint } = this.#theme;
    const reason = cleanLine(this.#shorten(calls[0]?.view.notRunReason ?? ''));
    const words = paint.strong(counted(calls.length, 'more call'));
    return wrap(`${paint.failure('⊘')} ${words}  ${paint.warning(reason)}`, width, '  ');
  }

  #folded(calls: readonly StreamedCall[], width: number): string {
    const isRunning = calls.some(({ view }) => !view.isOver);
    const displays = calls.map(({ view }) => view.display);
    return looksLine(this.#theme, displays, { isRunning, width, shorten: this.#shorten });
  }
}

/** A question, a failure and a call of the user's own keep a line of their own. */
const canFold = ({ view }: StreamedCall): boolean =>
  view.display.looks !== undefined && !view.isOwn && ['waiting', 'running', 'done'].includes(view.state);
