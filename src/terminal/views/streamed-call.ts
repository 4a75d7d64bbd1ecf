import type { Component } from '@earendil-works/pi-tui';
import type { ToolInputEvent } from '../../contract/event.js';
import type { CallView } from './call-view.js';

const LOOK_MS = 100; // what a tool shows of its input costs the length of it

/** A call while its input still arrives: what it shows is asked for when it is drawn, and not more often than one can see. */
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
