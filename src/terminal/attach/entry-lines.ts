// Entries of a session in another process as plain lines, top to bottom.
import type { AgentHappening } from '../../contract/event.js';
import { compactionNotice } from '../../display/compaction-notice.js';
import type { EntryLine } from '../../host/sent-entry.js';
import type { FeedCall } from '../../host/session-feed.js';
import { visible } from '../../platform/text/visible.js';
import type { PlainLines } from '../plain/plain-lines.js';
import { promptWords } from './entry-events.js';

export class EntryLines {
  readonly #lines: PlainLines;
  #last: EntryLine['entry']['kind'] | undefined;
  #turns = 0;
  /** Calls whose beginning was written, and those whose end was. */
  readonly #begun = new Set<string>();
  readonly #ended = new Set<string>();

  constructor(lines: PlainLines) {
    this.#lines = lines;
  }

  take({ entry, from }: EntryLine): void {
    if (entry.kind !== 'text') this.#last = entry.kind;
    switch (entry.kind) {
      case 'prompt': {
        this.#lines.line(`> ${visible(promptWords(entry.content))}`);
        return;
      }
      case 'text':
        if (this.#last === 'text' && from === 0) this.#lines.line('');
        this.#last = 'text';
        this.#draw({ type: 'text_delta', text: entry.text });
        return;
      case 'call':
        this.#call(entry);
        return;
      case 'notice':
        this.#draw({ type: 'notice', text: entry.text });
        return;
      case 'compaction':
        this.#lines.line(`  · ${compactionNotice(entry)}`);
        return;
      case 'progress':
        if (entry.turns !== this.#turns) this.#lines.line('');
        this.#turns = entry.turns;
        return;
      case 'end':
        if (entry.outcome !== 'completed') this.#lines.line(`  ! ${visible(entry.text)}`);
        return;
      default:
    }
  }

  /** Nothing more comes for now. */
  end(): void {
    this.#lines.end();
  }

  #call(call: FeedCall): void {
    const { id: callId, tool, input, display, status, problem, failure, agent } = call;
    if (agent) return; // what a child agent does is in the result of the call that started it
    if (!this.#begun.has(callId)) {
      this.#begun.add(callId);
      this.#draw({ type: 'tool_call', callId, tool, input, display });
    }
    if ((status !== 'completed' && status !== 'failed') || this.#ended.has(callId)) return;
    this.#ended.add(callId);
    this.#draw({
      type: 'tool_result',
      callId,
      tool,
      display,
      result: { type: 'tool_result', tool_use_id: callId, content: '', is_error: status === 'failed' },
      ...(failure && { failure }),
      ...(problem !== undefined && { problem }),
    });
  }

  #draw(happening: AgentHappening): void {
    this.#lines.draw({ ...happening, at: Date.now() });
  }
}
