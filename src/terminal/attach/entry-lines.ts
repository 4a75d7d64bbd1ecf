// Entries of a session in another process as plain lines, top to bottom.
import type { AgentHappening } from '../../contract/event.js';
import { compactionNotice } from '../../display/compaction-notice.js';
import type { EntryLine } from '../../host/sent-entry.js';
import type { FeedCall } from '../../host/session-feed.js';
import { visible } from '../../platform/text/visible.js';
import type { PlainLines } from '../plain/plain-lines.js';
import { callEvents, promptWords, type ShownSoFar } from './entry-events.js';

export class EntryLines {
  readonly #lines: PlainLines;
  #last: EntryLine['entry']['kind'] | undefined;
  #turns = 0;
  readonly #calls = new Map<string, ShownSoFar>();

  constructor(lines: PlainLines) {
    this.#lines = lines;
  }

  take({ entry, isNew, from }: EntryLine): void {
    if (entry.kind !== 'text') this.#last = entry.kind;
    switch (entry.kind) {
      case 'prompt': {
        this.#lines.line(`> ${visible(promptWords(entry.content))}`);
        return;
      }
      case 'text':
        if (entry.text === '') {
          if (!isNew) this.#draw({ type: 'answer_restart' });
          return;
        }
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
    if (call.agent) return; // what a child agent does is in the result of the call that started it
    for (const event of callEvents(call, this.#calls)) this.#draw(event);
  }

  #draw(happening: AgentHappening): void {
    this.#lines.draw({ ...happening, at: Date.now() });
  }
}
