import type { UserBlock } from '../../contract/message.js';

const MAX_WAITING = 1_000;
const MAX_WAITING_CHARS = 64 * 1024 * 1024; // a host that sends faster than a model answers must not exhaust memory

export interface QueuedPrompt {
  content: readonly UserBlock[];
  /** The host's id for it. */
  uuid: string | undefined;
  /** Ends its run, even before it has started. */
  controller: AbortController;
}

/** Prompts in order of arrival; each gets its own run, one at a time. */
export class PromptQueue {
  #active: QueuedPrompt | undefined;
  #waiting: QueuedPrompt[] = [];
  #ended = false;
  #wake = Promise.withResolvers<void>();

  /** Returns an error message if the prompt can't be accepted. */
  add({ content, uuid }: Pick<QueuedPrompt, 'content' | 'uuid'>): string | undefined {
    if (this.#ended) return 'the session is ending';
    const chars = this.#waiting.reduce((sum, waiting) => sum + lengthOf(waiting.content), lengthOf(content));
    if (this.#waiting.length >= MAX_WAITING || (this.#waiting.length > 0 && chars > MAX_WAITING_CHARS)) {
      return `${this.#waiting.length} prompts are already waiting; send it again after the next result`;
    }
    this.#waiting.push({ content, uuid, controller: new AbortController() });
    this.#wake.resolve();
    return undefined;
  }

  /**
   * The next prompt, as soon as there is one; undefined when no more will come. Calling it marks the previous one as
   * done.
   */
  async next(): Promise<QueuedPrompt | undefined> {
    this.#active = undefined;
    while (this.#waiting.length === 0 && !this.#ended) {
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
    this.#active = this.#waiting.shift();
    return this.#active;
  }

  /** Ends the current run, or the one that is about to start. Returns the waiting prompts, without those dropped. */
  interrupt({ dropWaiting = false }: { dropWaiting?: boolean } = {}): readonly QueuedPrompt[] {
    const target = this.#active ?? this.#waiting[0];
    target?.controller.abort(new Error('Interrupted.'));
    if (dropWaiting) this.#waiting = this.#waiting.filter((waiting) => waiting === target);
    return this.#waiting.filter((waiting) => waiting !== target);
  }

  /** Removes a waiting prompt; false if it is not waiting. */
  drop(uuid: string): boolean {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((waiting) => waiting.uuid !== uuid);
    return this.#waiting.length < before;
  }

  /** No more prompts will come; waiting ones still run. */
  end(): void {
    this.#ended = true;
    this.#wake.resolve();
  }

  /** Nothing more runs. */
  stop(): void {
    this.#waiting = [];
    this.end();
  }
}

const lengthOf = (content: readonly UserBlock[]): number =>
  content.reduce((sum, block) => {
    if (block.type === 'text') return sum + block.text.length;
    return sum + (block.type === 'image' ? block.source.data.length : 0);
  }, 0);
