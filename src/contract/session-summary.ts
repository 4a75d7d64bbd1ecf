/** A conversation that was kept. */
export interface SessionSummary {
  id: string;
  title: string;
  /** The project; absent if the first line of the file is damaged. */
  root?: string;
  model?: string;
  created: Date;
  /** When it was last written. */
  updated: Date;
  turns: number;
  /** US dollars; null if it is not known. */
  costUsd: number | null;
  /** Of the conversation's file, without large results. */
  bytes: number;
  /** Whether a process has it open. */
  inUse: boolean;
  /** The session that this one was forked from. */
  fork?: string;
}
