import type { Component } from '@earendil-works/pi-tui';
import { samePosition, type TextPosition } from './line-rows.js';

const KEPT_LINES = 600; // above the screen: what can be shown in the details or reprinted after a resize

interface Entry {
  view: Component;
  /** Whether it still changes. */
  isLive: boolean;
  /** Whether an empty line precedes it. */
  hasGap: boolean;
  lines: string[] | undefined;
  /** Its lines in the previous frame. */
  before: readonly string[];
  /** It must be redrawn once. */
  isStale: boolean;
}

/**
 * The transcript, oldest first. Views that have long scrolled off are dropped, so that a long conversation stays small.
 */
export class History implements Component {
  #entries: Entry[] = [];
  #width = 0;
  /** The number of lines that have scrolled off: they stay unchanged, even if their views change. */
  #above = 0;

  /** Returns a function that marks the view as final, so that it is not drawn again. */
  add(view: Component, { isLive = false, hasGap = false } = {}): () => void {
    const entry: Entry = { view, isLive, hasGap, lines: undefined, before: [], isStale: false };
    this.#entries.push(entry);
    return () => {
      entry.isLive = false;
      entry.isStale = true;
    };
  }

  remove(view: Component): void {
    this.#entries = this.#entries.filter((entry) => entry.view !== view);
  }

  clear(): void {
    this.#entries = [];
  }

  /** The number of lines in the last frame. */
  get lineCount(): number {
    return this.#entries.reduce((sum, { lines = [] }) => sum + lines.length, 0);
  }

  /** The views that are kept, oldest first. */
  get views(): readonly Component[] {
    return this.#entries.map(({ view }) => view);
  }

  /** Redraws a view that was final. */
  changed(view: Component): void {
    for (const entry of this.#entries) if (entry.view === view) entry.isStale = true;
  }

  /** The first line of a view, or 0 if the view was dropped. */
  lineOf(view: Component): number {
    const index = this.#entries.findIndex((entry) => entry.view === view);
    return this.#entries.slice(0, Math.max(0, index)).reduce((sum, { lines = [] }) => sum + lines.length, 0);
  }

  /** How many lines of a view have scrolled off, with the gap before it. */
  linesAbove(view: Component): number {
    const { lines = [] } = this.#entries.find((one) => one.view === view) ?? {};
    return Math.min(lines.length, Math.max(0, this.#above - this.lineOf(view)));
  }

  /** The index of the first view that is at least partly on the screen. */
  get firstOnScreen(): number {
    let end = 0;
    const index = this.#entries.findIndex(({ lines = [] }) => {
      end += lines.length;
      return end > this.#above;
    });
    return index === -1 ? this.#entries.length : index;
  }

  /** Maps the start of a line in the previous frame to its position now, in a window of another width. */
  positionOf(wanted: number): TextPosition {
    // New content is below all earlier content.
    const line = Math.min(
      wanted,
      this.#entries.reduce((sum, entry) => sum + entry.before.length, 0),
    );
    let before = 0;
    let now = 0;
    for (const entry of this.#entries) {
      const { lines = [] } = entry;
      if (line <= before) break;
      if (line < before + entry.before.length) {
        const place = samePosition(entry.before, lines, line - before);
        return { line: now + place.line, column: place.column };
      }
      before += entry.before.length;
      now += lines.length;
    }
    return { line: now, column: 0 };
  }

  /** This many lines are above the screen. Drops views that are far above it, and returns how many lines they had. */
  scrolled(above: number): number {
    const dropped = this.#dropViewsAbove(above);
    this.#above = above - dropped;
    return dropped;
  }

  #dropViewsAbove(above: number): number {
    let lines = 0;
    let count = 0;
    for (const entry of this.#entries) {
      const height = entry.lines?.length ?? 0;
      if (entry.isLive || lines + height > above - KEPT_LINES) break;
      lines += height;
      count += 1;
    }
    if (count > 0) this.#entries = this.#entries.slice(count);
    return lines;
  }

  invalidate(): void {
    for (const entry of this.#entries) {
      entry.isStale = true;
      entry.view.invalidate();
    }
  }

  render(width: number): string[] {
    const isSame = width === this.#width;
    this.#width = width;
    const all: string[] = [];
    for (const entry of this.#entries) {
      entry.before = entry.lines ?? [];
      if (entry.isLive || entry.isStale || !isSame || !entry.lines) {
        entry.isStale = false;
        const before = isSame ? (entry.lines ?? []) : [];
        const frozen = before.slice(0, Math.max(0, this.#above - all.length));
        // A view that has scrolled off completely stays unchanged: new lines would end up between others.
        const isOff = before.length > 0 && frozen.length === before.length;
        entry.lines = isOff ? frozen : [...frozen, ...linesOf(entry, width).slice(frozen.length)];
      }
      for (const line of entry.lines) all.push(line);
    }
    return all;
  }
}

/** An empty view needs no gap. */
function linesOf({ view, hasGap }: Entry, width: number): string[] {
  const lines = view.render(width);
  return hasGap && lines.length > 0 ? ['', ...lines] : lines;
}
