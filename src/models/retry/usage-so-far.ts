import type { ModelEvent, Usage } from '../../contract/model.js';
import { charsOf } from './event-chars.js';

const CHARS_PER_TOKEN = 4;

/** What an answer has used that does not come to its end: the server's count of the input, and an estimate of the output. */
export class UsageSoFar {
  #reported: Usage | undefined;
  #chars = 0;

  take(event: ModelEvent): void {
    if (event.type === 'message_start') this.#reported = event.usage;
    // The end has the whole usage, and a retry that of the try that failed.
    else if (event.type === 'message_end' || event.type === 'retry') this.#reported = undefined;
    if (this.#reported === undefined) this.#chars = 0;
    else this.#chars += charsOf(event);
  }

  /** Undefined if the server has reported nothing, or the usage is known as a whole. */
  get usage(): Usage | undefined {
    if (!this.#reported) return undefined;
    const estimate = Math.ceil(this.#chars / CHARS_PER_TOKEN);
    return { ...this.#reported, output_tokens: Math.max(this.#reported.output_tokens, estimate) };
  }
}
