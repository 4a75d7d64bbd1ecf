import type { CompactionEvent } from '../../contract/event.js';
import { grouped } from '../../platform/text/digits.js';

/** The notice about what compaction removed from the context window. */
export function compactionNotice({
  tokensBefore,
  tokensAfter,
  summarisedMessages,
  clearedResults,
}: CompactionEvent): string {
  const what =
    summarisedMessages > 0
      ? `${summarisedMessages} messages were replaced by a summary`
      : `${clearedResults} old results were removed`;
  return `The context was compacted: ${what} (${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens).`;
}
