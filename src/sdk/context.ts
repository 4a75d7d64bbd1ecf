/** How the context window is used; what is left out is as usual. */
export interface ContextOptions {
  /** Tokens that fit into one request and its answer. Default: what is known of the model. */
  windowTokens?: number;
  /** How full the window gets before room is made, in percent of what an answer leaves of it; 0 for never. Default 92. */
  compactAtPercent?: number;
}

/** Tokens in the context, by what they are spent on: estimates, set right by what the provider reported last. */
export interface ContextUsage {
  system: number;
  tools: number;
  /** What was said and called. */
  messages: number;
  results: number;
  total: number;
  /** What fits into one request and its answer, as far as it is known. */
  window: number;
  /** What a request may still grow by, so that the answer has its place. */
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
