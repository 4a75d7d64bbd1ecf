// What rules know about tools: which ones a path rule speaks for, which fields a rule may name, and older names. All of
// it comes from the table, which is made of what the tools declare.
import type { RuleFamily, ToolTable } from '../contract/tool-traits.js';

export const familyOf = ({ traits }: ToolTable, tool: string): RuleFamily | undefined => traits.get(tool)?.family;

/** The tools of a family; those whose bare name speaks for it come first. */
export const namesIn = ({ traits }: ToolTable, family: RuleFamily): string[] =>
  [...traits]
    .filter(([, each]) => each.family === family)
    .toSorted(([, one], [, other]) => Number(other.bareRule === 'family') - Number(one.bareRule === 'family'))
    .map(([name]) => name);

/** Whether its rules are about paths. */
export const isFileTool = (tools: ToolTable, tool: string): boolean => isFileFamily(familyOf(tools, tool));

const isFileFamily = (family: RuleFamily | undefined): boolean => family === 'read' || family === 'edit';

/** The fields that a rule's specifier is about, so that a rule on one as a parameter would say the same twice. */
export function subjectOf(tools: ToolTable, tool: string): readonly string[] {
  return isFileTool(tools, tool) ? ofFileTools(tools, 'subject') : (tools.traits.get(tool)?.subject ?? []);
}

/** Whether a rule may name the field. Patterns may hold a colon of their own, so it has to be known for most tools. */
export function isFieldOf(tools: ToolTable, tool: string, field: string): boolean {
  const fields = isFileTool(tools, tool) ? ofFileTools(tools, 'fields') : tools.traits.get(tool)?.fields;
  return fields ? fields.includes(field) : /^\w+$/.test(field);
}

/** Rules on files hold for all tools that touch them, so they share what can be named. */
const ofFileTools = ({ traits }: ToolTable, which: 'subject' | 'fields'): string[] =>
  [...traits.values()].filter(({ family }) => isFileFamily(family)).flatMap((each) => each[which] ?? []);

/** The name here of a tool that a rule calls by an older name. */
export function currentName({ traits }: ToolTable, name: string): string {
  const [current] = [...traits].find(([, { olderNames = [] }]) => olderNames.includes(name)) ?? [];
  return current ?? name;
}

/** Whether agents are known to have a tool of that name, be it here or not. */
export const isFamiliarName = ({ familiarNames }: ToolTable, name: string): boolean => familiarNames.has(name);
