// Looks up what rules need to know about tools: their family, the fields that a rule may name, and older names. All of
// it comes from the table of traits that the tools declare.
import type { RuleFamily, ToolTable } from '../contract/tool-traits.js';

export const familyOf = ({ traits }: ToolTable, tool: string): RuleFamily | undefined => traits.get(tool)?.family;

/** The tools of a family; the one whose bare name covers the whole family comes first. */
export const namesIn = ({ traits }: ToolTable, family: RuleFamily): string[] =>
  [...traits]
    .filter(([, each]) => each.family === family)
    .toSorted(([, one], [, other]) => Number(other.bareRule === 'family') - Number(one.bareRule === 'family'))
    .map(([name]) => name);

/** Whether its rules are about paths. */
export const isFileTool = (tools: ToolTable, tool: string): boolean => isFileFamily(familyOf(tools, tool));

const isFileFamily = (family: RuleFamily | undefined): boolean => family === 'read' || family === 'edit';

/** The fields that a rule's specifier is about; a parameter rule on one of them is redundant. */
export function subjectOf(tools: ToolTable, tool: string): readonly string[] {
  return isFileTool(tools, tool) ? ofFileTools(tools, 'subject') : (tools.traits.get(tool)?.subject ?? []);
}

/** Whether a rule may name the field. Most tools list their fields, since a pattern may contain a colon too. */
export function isFieldOf(tools: ToolTable, tool: string, field: string): boolean {
  const fields = isFileTool(tools, tool) ? ofFileTools(tools, 'fields') : tools.traits.get(tool)?.fields;
  return fields ? fields.includes(field) : /^\w+$/.test(field);
}

/** Rules on files apply to every tool that touches them, so all file tools share their fields. */
const ofFileTools = ({ traits }: ToolTable, which: 'subject' | 'fields'): string[] =>
  [...traits.values()].filter(({ family }) => isFileFamily(family)).flatMap((each) => each[which] ?? []);

/** The current name of a tool that may be given by an older name. */
export function currentName({ traits }: ToolTable, name: string): string {
  const [current] = [...traits].find(([, { olderNames = [] }]) => olderNames.includes(name)) ?? [];
  return current ?? name;
}

/** Whether Helve or another agent is known to have a tool of that name. */
export const isFamiliarName = ({ familiarNames }: ToolTable, name: string): boolean => familiarNames.has(name);
