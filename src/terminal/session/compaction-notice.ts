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
      ? `${summarisedMessages} messages were replaced by a summary of them`
      : `${clearedResults} old results were left out`;
  return `Room was made in the context window: ${what} (${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens).`;
}
