// An entry of the feed as a client over a socket gets it: of a text only what is new, and of an error its message.
import type { SaidEntry } from './past-entries.js';
import { PromptInterrupted } from './prompt-queue.js';
import type { FeedChange, FeedEntry } from './session-feed.js';

/** An entry without what JSON can't carry. */
export type SentEntry = Exclude<FeedEntry, { kind: 'end' | 'text' | 'thought' }> | SaidEntry | SentEnd;

interface SentEnd {
  kind: 'end';
  id: string;
  promptId: string;
  outcome: string;
  text: string;
  costUsd: number | null;
}

export interface EntryLine {
  entry: SentEntry;
  isNew: boolean;
  /** For a text: how many characters of it came before. `entry.text` has the rest. */
  from: number;
}

export function entryLine({ entry, isNew, from }: FeedChange): EntryLine & Readonly<Record<string, unknown>> {
  if (entry.kind === 'text' || entry.kind === 'thought') {
    return { entry: { ...entry, text: entry.text.after(from) }, isNew, from };
  }
  if (entry.kind !== 'end') return { entry, isNew, from };
  const { kind, id, promptId, end } = entry;
  const { outcome, text, costUsd } =
    'error' in end ? { outcome: outcomeOf(end.error), text: end.error.message, costUsd: null } : end.result;
  return { entry: { kind, id, promptId, outcome, text, costUsd }, isNew, from };
}

const outcomeOf = (error: Error): string => (error instanceof PromptInterrupted ? 'interrupted' : 'error');
