import type { Answers } from './answers.js';
import type { FullEngineOptions } from './options.js';

const QUESTION_EVENTS = ['PreToolUse', 'PermissionRequest'] as const;

/** Whether a person, a program or a hook that names the tool can answer for it. */
export function isAnswered(
  name: string,
  { hooks, settings }: FullEngineOptions,
  { askUser, askPermission }: Answers,
): boolean {
  if (askUser ?? askPermission) return true;
  const matchers = QUESTION_EVENTS.flatMap((event) => [
    ...(hooks?.[event]?.map(({ matcher }) => matcher) ?? []),
    ...(settings?.current.hooks.filter((hook) => hook.event === event && hook.trusted) ?? []).map(
      ({ matcher }) => matcher,
    ),
  ]);
  return matchers.some((matcher) => matcher?.split('|').includes(name));
}
