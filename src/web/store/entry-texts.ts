// A text that streams, in segments of limited size. What is settled is parsed once and drawn once; only the last segment can
// change, so an answer of any length costs no more for each piece than a short one.
import { type Signal, signal } from '@preact/signals';
import { blockOf, completed, type MarkdownBlock } from '../../display/markdown-source.js';
import { MarkdownStream } from '../../display/markdown-stream.js';

const SEGMENT_BLOCKS = 30;
const SEGMENT_CHARS = 8_000;
const CODE_CHARS = 12_000; // of an open fence, which is one block: a longer one is continued in another
const MAX_COMPLETED = 40_000; // characters of a block whose end is completed while it streams

export class TextSegment {
  /** Grows with each change: what draws the text reads it. */
  readonly version: Signal<number> = signal(0);
  readonly settled: MarkdownBlock[] = [];
  /** The block that can still change. */
  tail: MarkdownBlock | undefined;
  #chars = 0;

  get chars(): number {
    return this.#chars;
  }

  get isFull(): boolean {
    return this.settled.length >= SEGMENT_BLOCKS || this.#chars >= SEGMENT_CHARS;
  }

  settle(block: MarkdownBlock): void {
    this.settled.push(block);
    this.#chars += block.type === 'code' ? block.code.length : block.text.length;
  }
}

export class StreamedText {
  readonly segments: [TextSegment, ...TextSegment[]] = [new TextSegment()];
  readonly #stream = new MarkdownStream();
  readonly #hasSegments: boolean;
  #isOpen = true;
  #length = 0;

  /** Without segments, all of it is drawn as one. */
  constructor({ hasSegments }: { hasSegments: boolean }) {
    this.#hasSegments = hasSegments;
  }

  /** How many characters it has. */
  get length(): number {
    return this.#length;
  }

  /** Returns the segments that it begins. */
  add(text: string): TextSegment[] {
    this.#length += text.length;
    const begun: TextSegment[] = [];
    const settle = (block: MarkdownBlock): void => {
      if (this.#hasSegments && this.#last.isFull) {
        this.#last.tail = undefined;
        begun.push(new TextSegment());
        this.segments.push(...begun.slice(-1));
      }
      this.#last.settle(block);
      this.#last.version.value += 1;
    };
    for (const block of this.#stream.append(text)) settle(block);
    const code = this.#hasSegments ? this.#stream.splitCode(CODE_CHARS) : undefined;
    if (code) settle(code);
    this.#showTail();
    return begun;
  }

  /** Something else follows, so the text is complete. */
  finish(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#showTail();
  }

  get #last(): TextSegment {
    return this.segments.at(-1) ?? this.segments[0];
  }

  #showTail(): void {
    const { tail } = this.#stream;
    const block = blockOf(this.#isOpen && tail.length < MAX_COMPLETED ? completed(tail) : tail);
    this.#last.tail = block.type === 'code' || block.text.trim() !== '' ? block : undefined;
    this.#last.version.value += 1;
  }
}
