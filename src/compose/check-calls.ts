// Checks what a program without types passes to the methods of an engine or an agent.
import type { CompactOptions } from '../contract/agent.js';
import type { RunCallsOptions, ToolCall } from '../contract/engine.js';
import type { Goal } from '../contract/goal.js';
import { type PermissionMode, permissionModes } from '../contract/permission.js';
import type { OutputOptions, OutputSchema } from '../contract/run.js';
import {
  abortSignal,
  anything,
  callback,
  checkKind,
  checkKinds,
  count,
  type Kinds,
  list,
  object,
  shown,
  text,
} from './option-kinds.js';

const runCallsOptions: Kinds<RunCallsOptions> = { signal: abortSignal, onEvent: callback };
const calls: Kinds<ToolCall> = { id: text, name: text, input: anything };
const runOptions: Kinds<OutputOptions<OutputSchema>> = {
  signal: abortSignal,
  steering: callback,
  output: anything,
  maxOutputRetries: count,
};
const goalFields: Kinds<Goal> = { text, until: text };
const compactOptions: Kinds<CompactOptions> = { signal: abortSignal, onEvent: callback };

export function checkGoal(goal: Goal): Goal {
  checkKinds(goal, goalFields, 'goal');
  for (const [name, words] of Object.entries(goal)) {
    if (words.trim() === '') throw new TypeError(`goal.${name} is empty. Give it some words, or leave it out.`);
  }
  return goal;
}

/** A call may have more fields than these, as blocks of a provider's answer do. */
export function checkCalls(given: readonly ToolCall[], options: unknown = {}): void {
  checkKind(given, list(object), 'calls');
  const places = new Map<string, number>();
  for (const [index, { id, name }] of given.entries()) {
    checkKind(id, calls.id, `calls[${index}].id`);
    const twin = places.get(id);
    if (twin !== undefined) {
      throw new TypeError(
        `calls[${index}].id is ${shown(id)}, which calls[${twin}] has too. Give each call a different id, so that the results can be matched to the calls.`,
      );
    }
    places.set(id, index);
    checkKind(name, calls.name, `calls[${index}].name`);
  }
  checkKinds(options, runCallsOptions, 'runCalls');
}

export const checkRunOptions = (options: unknown): void => checkKinds(options, runOptions, 'run');
export const checkCompactOptions = (options: unknown): void => checkKinds(options, compactOptions, 'compact');
export const checkFolder = (path: unknown): void => checkKind(path, text, 'The folder');

export function checkMode(mode: PermissionMode): PermissionMode {
  if (permissionModes.includes(mode)) return mode;
  throw new TypeError(`There is no permission mode ${shown(mode)}. There are: ${permissionModes.join(', ')}.`);
}

export function checkPrompt(prompt: unknown): void {
  if (typeof prompt === 'string') return;
  const isBlock = (block: unknown): boolean => typeof block === 'object' && block !== null && 'type' in block;
  if (Array.isArray(prompt) && prompt.every(isBlock)) return;
  throw new TypeError(`A prompt is a text, or a list of blocks of text and images, but this is ${shown(prompt)}.`);
}
