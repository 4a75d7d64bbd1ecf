import type { UserBlock } from '../../contract/message.js';

const MAX_WAITING = 1_000;
const MAX_WAITING_CHARS = 64 * 1024 * 1024; // a host that sends faster than a model answers must not fill the memory

export interface Prompt {
  content: readonly UserBlock[];
  /** As the host knows it. */
  uuid: string | undefined;
  /** Ends its run, also before that has begun. */
  controller: AbortController;
}

/** Prompts in the order in which they came; each gets a run of its own, one after the other. */
export class PromptQueue {
  #active: Prompt | undefined;
  #waiting: Prompt[] = [];
  #ended = false;
  #wake = Promise.withResolvers<void>();

  /** Says what is wrong where the prompt can't be taken. */
  add({ content, uuid }: Pick<Prompt, 'content' | 'uuid'>): string | undefined {
    if (this.#ended) return 'the session is ending';
    const chars = this.#waiting.reduce((sum, waiting) => sum + lengthOf(waiting.content), lengthOf(content));
    if (this.#waiting.length >= MAX_WAITING || (this.#waiting.length > 0 && chars > MAX_WAITING_CHARS)) {
      return `${this.#waiting.length} prompts wait already; send it again when a result has come`;
    }
    this.#waiting.push({ content, uuid, controller: new AbortController() });
    this.#wake.resolve();
    return undefined;
  }

  /** The next one, as soon as there is one; undefined when no more will come. Whoever takes it is done with the last. */
  async next(): Promise<Prompt | undefined> {
    this.#active = undefined;
    while (this.#waiting.length === 0 && !this.#ended) {
      this.#wake = Promise.withResolvers<void>();
      await this.#wake.promise;
    }
    this.#active = this.#waiting.shift();
    return this.#active;
  }

  /** Ends the run under way, or the one that was about to begin. Gives the prompts that wait, without those dropped. */
  interrupt({ dropWaiting = false }: { dropWaiting?: boolean } = {}): readonly Prompt[] {
    const target = this.#active ?? this.#waiting[0];
    target?.controller.abort(new Error('Interrupted.'));
    if (dropWaiting) this.#waiting = this.#waiting.filter((waiting) => waiting === target);
    return this.#waiting.filter((waiting) => waiting !== target);
  }

  /** No more will come; what waits is still run. */
  end(): void {
    this.#ended = true;
    this.#wake.resolve();
  }

  /** Nothing more is to run. */
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
