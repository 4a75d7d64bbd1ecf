import type { Component } from '@earendil-works/pi-tui';
import type { ToolInputEvent } from '../../contract/event.js';
import type { CallView } from './call-view.js';

const LOOK_MS = 100; // computing a display takes time proportional to the input

/** A call while its input is streaming: its display is computed when it is drawn, and at a limited rate. */
export class StreamedCall implements Component {
  readonly view: CallView;
  readonly #now: () => number;
  #latest: ToolInputEvent | undefined;
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(view: CallView, now: () => number) {
    this.view = view;
    this.#now = now;
  }

  arrived(event: ToolInputEvent): void {
    this.#latest = event;
  }

  /** The input is complete. */
  settle(): void {
    this.#latest = undefined;
  }

  /** The user stopped it before it had a result, such as while its input streamed. */
  interrupt(): void {
    const display = this.#latest?.display() ?? this.view.display;
    this.settle();
    this.view.end({ display, failure: 'interrupted' });
  }

  invalidate(): void {
    this.view.invalidate();
  }

  render(width: number): string[] {
    const now = this.#now();
    if (this.#latest && now - this.#lookedAt >= LOOK_MS) {
      this.view.showInput(this.#latest.display());
      this.#latest = undefined;
      this.#lookedAt = now;
    }
    return this.view.render(width);
  }
}
