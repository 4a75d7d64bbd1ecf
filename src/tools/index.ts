import type { BuiltInTool, Tool } from '../contract/tool.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { once } from '../platform/lazy.js';
import { lazyTool } from './lazy-tool.js';
import { toolFacts } from './tool-facts.js';
import { toolList } from './tool-list.js';
import { tableOf } from './tool-table.js';

export { changeEffects, readEffects } from './file-effect.js';
export { hostCallTools, ownCallTools, simpleToolNames } from './roles.js';
export { smallProfile } from './small-profile.js';

/** The built-in tools. The code of each is loaded with its first call. */
export const builtInTools = (): Tool[] => [...allTools()];

// The same for all sessions, so it is made once: a program may have hundreds of them.
const allTools = once((): readonly BuiltInTool[] =>
  Object.entries(toolFacts).map(([name, facts]) => lazyTool(facts, loaderOf(name))),
);

/** What permission rules, hooks and replays know of them. */
export const toolTable: () => ToolTable = once(() => tableOf(allTools()));

function loaderOf(name: string): () => Promise<BuiltInTool> {
  const load = toolList[name];
  if (!load) throw new Error(`The tool ${name} is not in the list of tools.`);
  return load;
}
