/** How the context window is used. */
export interface ContextOptions {
  /** Tokens that fit into one request and its answer. Default: what is known of the model. */
  windowTokens?: number;
  /** How full the window gets before room is made, in percent of what an answer leaves of it; 0 for never. Default 92. */
  compactAtPercent?: number;
}

/** Tokens in the context, by what they are spent on: estimates, corrected by what the provider reported last. */
export interface ContextUsage {
  system: number;
  tools: number;
  /** Prompts, answers and calls. */
  messages: number;
  results: number;
  total: number;
  /** What fits into one request and its answer, as far as it is known. */
  window: number;
  /** By how much a request may still grow and leave room for the answer. */
  free: number;
}

/** The history was not replaced by a summary, and nothing has changed. */
export interface CompactionRefused {
  type: 'refused';
  /** In a sentence. */
  why: string;
  /** Whether a hook wants the conversation to stop. */
  stop: boolean;
}
