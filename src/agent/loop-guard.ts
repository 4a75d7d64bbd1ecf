// Detects when the model repeats a call with the same outcome. It stops nothing: the model gets a reminder first,
// then the person a notice. A call whose result differs from the last one has made progress, so polling is not reported.
import type { AssistantMessage, ToolResultBlock } from '../contract/message.js';
import { sha256 } from '../platform/crypto.js';

const REMIND_AT = 3;
const NOTICE_EVERY = 5;
const MAX_CALLS = 200; // only the latest calls are remembered

export interface LoopSigns {
  /** For the model, with the results. */
  reminders: readonly string[];
  /** For the person. */
  notices: readonly string[];
}

interface SeenCall {
  result: string;
  /** How often in a row the call had this result. */
  times: number;
  /** The value of `#news` when the call was seen last. */
  news: number;
}

/** Watches the calls of one run. */
export class LoopGuard {
  readonly #seen = new Map<string, SeenCall>();
  /** Counts calls with a new result. */
  #news = 0;

  /** Records the calls of an answer and their results, in order. */
  take(message: AssistantMessage | undefined, results: readonly ToolResultBlock[]): LoopSigns {
    const reminders: string[] = [];
    const notices: string[] = [];
    const byId = new Map(results.map((result) => [result.tool_use_id, result]));
    for (const block of message?.content ?? []) {
      const result = block.type === 'tool_use' ? byId.get(block.id) : undefined;
      if (block.type !== 'tool_use' || !result) continue;
      const failed = result.is_error === true;
      const times = this.#count(hashOf([block.name, block.input]), hashOf([result.content, failed]), failed);
      const outcome = failed ? 'failed in the same way each time' : 'gave the same result each time';
      const isLate = times > 0 && times % NOTICE_EVERY === 0;
      if (times === REMIND_AT || isLate) {
        reminders.push(
          `${block.name} was called ${times} times with the same input and ${outcome}. One more time will not change that. If you wait for something, wait longer before you look again; else try another way, or tell the user what stands in the way.`,
        );
      }
      if (isLate) {
        notices.push(
          `The model has called ${block.name} ${times} times with the same input, and it ${outcome}. It may be going in circles.`,
        );
      }
    }
    return { reminders, notices };
  }

  #count(call: string, result: string, failed: boolean): number {
    const before = this.#seen.get(call);
    const isSame = before?.result === result;
    if (!isSame && !failed) this.#news += 1;
    // Reading the same thing again is reasonable after other calls had new results; failing in the same way again is not.
    const goesOn = isSame && (failed || before.news === this.#news);
    const times = goesOn ? before.times + 1 : 1;
    this.#seen.delete(call); // so that the latest calls are last
    this.#seen.set(call, { result, times, news: this.#news });
    if (this.#seen.size > MAX_CALLS) this.#seen.delete(this.#seen.keys().next().value ?? '');
    return times;
  }
}

const hashOf = (value: unknown): string => sha256().update(JSON.stringify(value)).digest('base64');
