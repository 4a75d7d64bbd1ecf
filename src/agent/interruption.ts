// Notes that the program adds to the history at the point where a run was interrupted.

export const INTERRUPTED = '[The user interrupted here.]';

const timeUp = /^\[The time limit of [\d.]+ s for this run was reached here\. The user did not interrupt\.\]$/;

export const timeLimitReached = (limitMs: number): string =>
  `[The time limit of ${limitMs / 1000} s for this run was reached here. The user did not interrupt.]`;

export const isInterruption = (block: { type: string; text?: string }): boolean =>
  block.type === 'text' && (block.text === INTERRUPTED || timeUp.test(block.text ?? ''));
