// The build runs this module and puts its result, plain data, in its place (scripts/build.mjs), so that a start loads no
// tool. In the sources, as in tests, it loads all of them.
import { factsOf, type ToolFacts } from './lazy-tool.js';
import { toolList } from './tool-list.js';

/** By tool name: everything that is known without the tool's code. */
export const toolFacts: Readonly<Record<string, ToolFacts>> = Object.fromEntries(
  await Promise.all(Object.entries(toolList).map(async ([name, load]) => [name, factsOf(await load())] as const)),
);
