import type { Tool } from '../contract/tool.js';
import type { ToolProfile, ToolSetMode } from '../contract/tool-context.js';

/** Which tools a session has. */
export interface ToolPoolOptions {
  /** All built-in tools. */
  builtIn: readonly Tool[];
  /** Tools of the embedding program and of servers. */
  added?: readonly Tool[];
  mode: ToolSetMode;
  /** The names of the tools in `simple` mode. */
  simpleNames: readonly string[];
  /** The names that an agent's type grants, in `child` mode. */
  granted?: readonly string[];
  /** Whether settings turn a tool on or off; undefined if neither. */
  switchOf?(name: string): boolean | undefined;
  /** Whether a setting, not an option, turns the tool off. */
  isOffBySetting?(name: string): boolean;
  /** Whether the questions of a tool that needs answers are answered. Default: they are not. */
  isAnswered?(name: string): boolean;
  /** Whether a setting that a tool needs is set. Default: no. */
  hasSetting?(name: string): boolean;
  root: string;
  editStyle?: 'text' | 'patch';
  /** The built-in tools that are offered from the start, and how they are described. Default: as each tool says. */
  profile?: ToolProfile | undefined;
}

/** Whether a tool is among those that a session has. */
export const isPermitted = (tool: Tool, options: ToolPoolOptions): boolean => whyWithheld(tool, options) === undefined;

/** Why a tool is not offered, for people; undefined if it is. */
export function whyWithheld(tool: Tool, options: ToolPoolOptions): string | undefined {
  const { name, optIn = false, needsPerson = false, needsSetting } = tool;
  const { mode, simpleNames, granted, switchOf, isAnswered } = options;
  const wanted = switchOf?.(name);
  if (wanted === false) return `switched off${options.isOffBySetting?.(name) ? ` by the setting tools.${name}` : ''}`;
  if (wanted === undefined && optIn) return `needs the setting tools.${name}`;
  if (needsPerson && !isAnswered?.(name)) return 'no person can answer here';
  if (needsSetting !== undefined && !options.hasSetting?.(needsSetting)) return `needs the setting ${needsSetting}`;
  const isAdded = options.added?.includes(tool) ?? false; // tools that the program adds are always included
  if (mode === 'simple' && !isAdded && !simpleNames.includes(name)) return 'the simple set does not have it';
  if (mode === 'child' && granted && !granted.includes(name)) return 'this agent was not given it';
  return undefined;
}
