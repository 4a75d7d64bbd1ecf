// Selects the hooks of an event: by the matcher of their group, which matches a name, and by their own `if` rule.
import type { HookEvent, HookPayloads } from '../contract/hook.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { messageOf } from '../platform/message-of.js';
import { isMcpName, readMcpName } from '../platform/text/mcp-names.js';

const MATCH_MS = 250; // names are short; a pattern that takes longer backtracks forever

/** The names that the matcher of an event is tested with; null if the event has no matcher, so that every hook runs. */
export function matchedNames<Event extends HookEvent>(
  event: Event,
  payload: HookPayloads[Event],
  tools: ToolTable,
): readonly string[] | null {
  const field = matchedFields[event];
  if (field === null) return null;
  const name: unknown = Reflect.get(payload, field);
  if (typeof name !== 'string') return [];
  return field === 'tool_name' ? namesOfTool(name, tools) : [name];
}

export const matchedFields: Readonly<Record<HookEvent, string | null>> = {
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionRequest: 'tool_name',
  PostToolBatch: null,
  PermissionDenied: 'tool_name',
  UserPromptSubmit: null,
  UserPromptExpansion: 'command_name',
  Setup: 'trigger',
  SessionStart: 'source',
  SessionEnd: 'reason',
  Stop: null,
  StopFailure: 'error',
  PostCompact: 'trigger',
  Notification: 'notification_type',
  PreCompact: 'trigger',
  SubagentStart: 'agent_type',
  SubagentStop: 'agent_type',
  CwdChanged: null,
  DirectoryAdded: 'source',
  InstructionsLoaded: 'load_reason',
  WorktreeCreate: null,
  WorktreeRemove: null,
};

/** `if` rules are about calls; on other events a hook that has one never runs. */
export const isAboutCall = (event: HookEvent): boolean => matchedFields[event] === 'tool_name';

/**
 * A hook that guards a kind of work must see all tools that do it, including tools that were added or renamed later: a
 * hook for `Edit|Write` also runs for a patch.
 */
export function namesOfTool(tool: string, { traits }: ToolTable): readonly string[] {
  const { olderNames = [], worksAs = [] } = traits.get(tool) ?? {};
  return [tool, ...olderNames, ...worksAs];
}

/** Whether the matcher matches a name. */
export type NameMatcher = (name: string) => boolean;

/**
 * Nothing or `*`: everything. Only letters, digits, `_`, `-`, spaces, `|` and `,`: these names exactly. Anything else: a
 * regular expression, found anywhere in the name. MCP tools may be spelled as the server spells them, as in deny
 * rules.
 */
export function readMatcher(matcher: string): NameMatcher | { problem: string } {
  if (matcher === '' || matcher === '*') return () => true;
  if (/^[\w\-, |]+$/.test(matcher)) {
    const names = matcher.split(/[|,]/).map((name) => name.trim());
    const spelledOtherwise = names.filter(isMcpName).map(mcpMatcher);
    return (name) => names.includes(name) || spelledOtherwise.some((matches) => matches(name));
  }
  try {
    new RegExp(matcher); // only to validate it; matching has a time limit
  } catch (error) {
    const why = messageOf(error);
    const way = matcher.includes('*') ? ' Write ".*" where any text may stand.' : '';
    return { problem: `"${matcher}" is not a regular expression (${why}).${way}` };
  }
  const patterns = [...new Set([matcher, inPlainSpelling(matcher)])];
  const known = new Map<string, boolean>();
  return (name) => {
    const answer = known.get(name) ?? patterns.some((pattern) => matchesWithin(pattern, name));
    known.set(name, answer);
    return answer;
  };
}

function mcpMatcher(written: string): NameMatcher {
  const names = readMcpName(written)?.names.map((name) => name.toLowerCase()) ?? [];
  return (name) => names.includes(name.toLowerCase());
}

/** Replaces characters that are neither valid in a name nor part of pattern syntax by `_`, as in names of MCP tools. */
const inPlainSpelling = (pattern: string): string => pattern.replaceAll(/[^\w\-|,.*+?()[\]{}^$\\]/g, '_');

/** A pattern that times out counts as a match: a guard should rather run once too often than not at all. */
function matchesWithin(pattern: string, name: string): boolean {
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  try {
    return runInNewContext('new RegExp(pattern).test(name)', { pattern, name }, { timeout: MATCH_MS }) === true;
  } catch {
    return true;
  }
}
