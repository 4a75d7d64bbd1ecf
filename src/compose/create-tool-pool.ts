import { ToolPool } from '../agent/tool-pool.js';
import { simpleToolNames } from '../tools/index.js';
import { isAnswered } from './answered-tools.js';
import type { ResolvedOptions } from './resolve-options.js';
import { webAccess } from './web-access.js';

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
      const written = settingOf(name);
      return written === false ? false : (options.toolSwitches?.[name] ?? written);
    },
    isOffBySetting: (name) => settingOf(name) === false,
    isAnswered: (name) => isAnswered(name, options, answers),
    hasSetting: (name) => name === 'webSearch' && webAccess(options, env).search !== undefined,
    ...(options.editStyle && { editStyle: options.editStyle }),
  });
}
