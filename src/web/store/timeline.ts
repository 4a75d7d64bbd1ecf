// The calls of a session with their times. Only the last page is loaded again: calls before it have ended.
import { callName } from '../../display/shown-tool.js';
import type { TimelineCall } from '../../host/session-timeline.js';
import type { Link } from '../connection/link.js';

export interface TimelineOfSession {
  calls: readonly TimelineCall[];
  /** When the last prompt was sent; null if it is not known. */
  promptAt: number | null;
}

export class Timeline {
  readonly #calls = new Map<string, TimelineCall>();
  readonly #link: Link;
  readonly #sessionId: string;
  /** Where the last page begins; undefined is the start. */
  #last: string | undefined;

  constructor(link: Link, sessionId: string) {
    this.#link = link;
    this.#sessionId = sessionId;
  }

  /** A wait for an earlier call names that call, not its id. */
  #named(call: TimelineCall): TimelineCall {
    const waits = call.waits.map((wait) => {
      const other = wait.reason === 'earlier_call' ? this.#calls.get(wait.detail ?? '') : undefined;
      return other ? { ...wait, detail: `${callName(other)} ${other.title}` } : wait;
    });
    return { ...call, waits };
  }

  async load(): Promise<TimelineOfSession> {
    for (;;) {
      const { calls, next, promptAt } = await this.#link.request('_helve/session/timeline', {
        sessionId: this.#sessionId,
        ...(this.#last !== undefined && { after: this.#last }),
      });
      for (const call of calls) this.#calls.set(call.callId, call);
      if (next === undefined) {
        return { calls: [...this.#calls.values()].map((call) => this.#named(call)), promptAt };
      }
      this.#last = next;
    }
  }
}
