import type { RunResult } from '../contract/event.js';
import type { FailureSubject } from '../contract/model.js';

/** Where the person changes what a request failed about. What is changed outside of the terminal is in the text. */
const HERE: Readonly<Partial<Record<FailureSubject, string>>> = {
  key: '/key sets another one, /model chooses another model.',
  credit: 'Add credit to the account, or use /key or /model to change the key or the model.',
  model: '/model chooses another one.',
};

/** How a run ended, for a person at the terminal: without variables and flags where a command does the same. */
export function endText({ text, failure }: Pick<RunResult, 'text' | 'failure'>): string {
  const here = failure?.about && HERE[failure.about];
  return failure && here ? `${failure.problem} ${here}` : text;
}
