import type { HookEvent } from '../contract/hook.js';
import { isObject } from '../platform/is-object.js';
import type { HookReply } from './merge-answers.js';
import { misspeltInput } from './plain-verdicts.js';

/** A hook that wants another input does not want this one to run, also where its wish can't be understood. */
export function refuseUnusableInput(
  event: HookEvent,
  answer: Pick<HookReply, 'behavior' | 'reason' | 'updatedInput'> & { failures: string[] },
  output: object,
): void {
  const isPre = event === 'PreToolUse';
  const home = isPre ? 'hookSpecificOutput' : 'hookSpecificOutput.decision';
  const own = new Set(answer.updatedInput ? [`${home}.updatedInput`] : []);
  const field = misspeltInput(output, { own, within: new Set(['hookSpecificOutput', 'hookSpecificOutput.decision']) });
  if (field === undefined) return;
  const isHome = field === `${home}.updatedInput`;
  const value = field.split('.').reduce((part: unknown, key) => Reflect.get(Object(part), key), output);
  const misplaced = `its "${field}" can't be used: a changed input is "updatedInput" inside "${home}" for ${event}`;
  const unfit = `its "updatedInput" must be an object, but was ${shown(value)}`;
  // What stands in its place and can't be used is of another event, and that has been said.
  const problem = !isHome ? misplaced : isObject(value) ? (answer.failures[0] ?? misplaced) : unfit;
  if (!answer.failures.includes(problem)) answer.failures.push(problem);
  delete answer.updatedInput;
  if (answer.behavior === 'deny') return;
  // In the place of a person it answers nothing, so the person is asked.
  answer.behavior = isPre ? 'deny' : 'ask';
  answer.reason = `${problem}. The answer of the hook must be corrected, not the call`;
}

/** A value as people are to see it in a message. */
export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
