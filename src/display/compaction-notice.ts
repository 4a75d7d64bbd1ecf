import type { CompactionEvent } from '../contract/event.js';
import { counted } from '../platform/text/counted.js';
import { grouped } from '../platform/text/digits.js';

/** The notice about what compaction removed from the context window. */
export function compactionNotice({
  tokensBefore,
  tokensAfter,
  summarisedMessages,
  clearedResults,
}: Pick<CompactionEvent, 'tokensBefore' | 'tokensAfter' | 'summarisedMessages' | 'clearedResults'>): string {
  const what =
    summarisedMessages > 0
      ? `${counted(summarisedMessages, 'message')} ${summarisedMessages === 1 ? 'was' : 'were'} replaced by a summary`
      : `${counted(clearedResults, 'old result')} ${clearedResults === 1 ? 'was' : 'were'} removed`;
  const size = compactionSize({ tokensBefore, tokensAfter });
  if (tokensAfter < tokensBefore) return `The context was compacted: ${what} ${size}.`;
  return `Compacting freed nothing ${size}.`;
}

export const compactionSize = ({ tokensBefore, tokensAfter }: Pick<CompactionEvent, 'tokensBefore' | 'tokensAfter'>) =>
  `(${grouped(tokensBefore)} → ${grouped(tokensAfter)} tokens)`;
