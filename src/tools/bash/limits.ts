export const DEFAULT_TIMEOUT_MS = 120_000;
export const MAX_TIMEOUT_MS = 600_000;
export const DEFAULT_LIFE_MS = 30 * 60_000; // of a command in the background
export const MAX_LIFE_MS = 2 * 60 * 60_000;
export const MAX_OUTPUT_CHARS = 30_000;
export const MOST_OUTPUT_CHARS = 150_000; // the most that a user can configure
export const MAX_FAILURE_CHARS = 9_000; // a failure is limited to 10,000 in all; its end says what went wrong, the middle rarely helps
export const TIMEOUT_LINES = 40; // of a command that did not finish
