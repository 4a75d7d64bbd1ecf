import { mayHave } from '../agent/children/granted-tools.js';
import { ToolPool } from '../agent/tool-pool.js';
import type { ToolProfile } from '../contract/tool-context.js';
import { simpleToolNames, smallProfile } from '../tools/index.js';
import type { Answers } from './answers.js';
import type { FullEngineOptions } from './options.js';
import { type ResolvedOptions, webAccess } from './resolve-options.js';

const QUESTION_EVENTS = ['PreToolUse', 'PermissionRequest'] as const;

/** The tools of a session: the built-in ones and those of the program, turned on or off by options and settings. */
export function createToolPool({ options, answers, builtIn, env, root, toolSet, settings }: ResolvedOptions): ToolPool {
  const settingOf = (name: string): boolean | undefined => settings()?.tools.get(name)?.value;
  return new ToolPool({
    builtIn,
    added: options.tools ?? [],
    mode: toolSet,
    simpleNames: simpleToolNames,
    root,
    switchOf(name) {
      if (isWithheld(name, options)) return false;
      const written = settingOf(name);
      return written === false ? false : (options.toolSwitches?.[name] ?? written);
    },
    isOffBySetting: (name) => settingOf(name) === false,
    isAnswered: (name) => isAnswered(name, options, answers),
    hasSetting: (name) => name === 'webSearch' && webAccess(options, env).search !== undefined,
    ...(options.editStyle && { editStyle: options.editStyle }),
    profile: profileOf(options),
  });
}

/** Decided once: the definitions stay the same for a whole session. */
export function profileOf({ toolProfile, settings }: FullEngineOptions): ToolProfile | undefined {
  return (toolProfile ?? settings?.current.toolProfile?.value) === 'small' ? smallProfile : undefined;
}

/** Whether the type of the agent does not have the tool. Tools that the program adds for its own purposes are not affected. */
const isWithheld = (name: string, { mainType, tools = [] }: FullEngineOptions): boolean =>
  mainType !== undefined && !mayHave(mainType, name) && !tools.some((tool) => tool.name === name);

/** Whether a person, a program or a hook that names the tool can answer for it. */
function isAnswered(
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
