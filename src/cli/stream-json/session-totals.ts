// What a session has used so far, for hosts that show it.
import type { AgentEvent } from '../../contract/event.js';
import type { Usage } from '../../contract/model.js';

const WARM_MS = 5 * 60 * 1_000; // how long a provider keeps what it has cached, by default

export class SessionTotals {
  linesAdded = 0;
  linesRemoved = 0;
  /** Spent with models, of runs that have ended. */
  modelMs = 0;
  /** Of the last answer in the conversation. */
  lastUsage: Usage | undefined;
  #answeredAt: number | undefined;

  see(event: AgentEvent): void {
    if (event.type === 'turn_end') {
      this.lastUsage = event.usage;
      this.#answeredAt = event.at;
    }
    let inner = event;
    while (inner.type === 'agent_event') inner = inner.event;
    if (inner.type !== 'tool_result' || inner.display.body?.type !== 'diff') return;
    for (const line of inner.display.body.patch.split('\n')) {
      if (line.startsWith('+') && !line.startsWith('+++')) this.linesAdded += 1;
      if (line.startsWith('-') && !line.startsWith('---')) this.linesRemoved += 1;
    }
  }

  /** What the next request sends again. */
  get contextTokens(): number {
    const { lastUsage: used } = this;
    return used
      ? used.input_tokens + used.output_tokens + used.cache_read_input_tokens + used.cache_creation_input_tokens
      : 0;
  }

  /** Whether the provider probably still has the conversation cached. */
  isCacheWarm(now: number): boolean {
    return this.#answeredAt !== undefined && now - this.#answeredAt < WARM_MS;
  }
}
