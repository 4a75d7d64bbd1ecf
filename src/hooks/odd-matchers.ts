// Finds likely typos in the matchers and events of hooks: a hook with an unknown name never runs.
import { type HookEvent, hookEvents } from '../contract/hook.js';
import type { ToolTable } from '../contract/tool-traits.js';
import { isMcpName, mentionsMcp, serverPartOf } from '../platform/text/mcp-names.js';
import { nearestWords, wordSimilarity } from '../platform/text/similar-text.js';
import { isAboutCall, namesOfTool, readMatcher } from './match-hook.js';

const SAME_NAME = 0.75; // one letter of four
const SAME_EVENT = 0.85; // far above what two different events have in common: PreCompact and PostCompact have 0.73

/** The event that an unknown event name most likely means. */
export function meantEvent(name: string): HookEvent | undefined {
  const letters = (word: string): string => word.replace(/[^A-Za-z]/g, '').toLowerCase();
  return (
    hookEvents.find((known) => letters(known) === letters(name) || wordSimilarity(name, known) >= SAME_EVENT) ??
    (/^(pre|before)_?-?tool/i.test(name) ? 'PreToolUse' : undefined)
  );
}

/** The problem with a matcher, to follow "the matcher"; undefined if it is fine. */
export function oddMatcher(
  event: HookEvent,
  matcher: string,
  { toolNames, tools }: { toolNames: readonly string[]; tools: ToolTable },
): string | undefined {
  if (!isAboutCall(event) || matcher === '' || matcher === '*') return undefined;
  const known = [...new Set(toolNames.flatMap((name) => namesOfTool(name, tools)))];
  const shell = toolNames.find((name) => tools.traits.get(name)?.family === 'command');
  const slips = /^[\w\-, |]+$/.test(matcher) ? slipsIn(matcher, known, shell) : slipsOfPattern(matcher, known);
  if (slips.length === 0) return undefined;
  const [first] = slips;
  const what = slips.map(({ name }) => JSON.stringify(name)).join(', ');
  if (first?.next !== undefined) return `${what} matches no tool. ${first.next}`;
  return `${what} matches no tool, since names are compared letter by letter. Did you mean "${first?.meant}"?`;
}

interface Slip {
  name: string;
  meant: string;
  /** What to write instead, if it is more than the name. */
  next?: string;
}

/** Names of the shell tool in other agents. */
const SHELL_NAME = /^(shell|terminal|execute?|run_?command|run_?shell(_?command)?|local_?shell|command)(_?tool)?$/i;

/** The tool that a name of another system means. */
function nameElsewhere(name: string, known: readonly string[], shell: string | undefined): string | undefined {
  if (SHELL_NAME.test(name) && shell !== undefined) return shell;
  const bare = name.replace(/_?tool$/i, '').toLowerCase();
  return known.find((each) => each.toLowerCase() === bare);
}

const ALL_TOOLS = /^(all|any|every|everything|tools?|(all|any|every)[_-]?tools?)$/i;
const FOR_ALL = 'Write "*" for all tools.';
/** Characters that occur in no tool name and have no meaning in a pattern. */
const FOREIGN = /[^\w\-|,.*+?()[\]{}^$\\]|\\[^\w\-.]/;

/** How to write tool names that are separated by something other than "|" in a matcher. */
function separated(matcher: string, known: readonly string[]): string {
  const words = matcher.match(/[\w-]+/g) ?? [];
  const named = words.flatMap((word) => known.find((name) => name.toLowerCase() === word.toLowerCase()) ?? []);
  return named.length > 0 ? `Write "${named.join('|')}".` : 'Separate names by "|".';
}

function slipsIn(matcher: string, known: readonly string[], shell: string | undefined): Slip[] {
  const names = matcher.split(/[|,]/).map((name) => name.trim());
  if (names.every((name) => name === '')) return [{ name: matcher, meant: '*', next: FOR_ALL }];
  return names
    .filter((name) => name !== '' && !known.includes(name) && serverPartOf(name) === undefined)
    .flatMap((name) => {
      if (isMcpName(name)) {
        return [{ name, meant: name, next: `Write "${name}__.*" for all tools of that server.` }];
      }
      if (ALL_TOOLS.test(name)) return [{ name, meant: '*', next: FOR_ALL }];
      if (/\s/.test(name)) return [{ name, meant: name, next: separated(name, known) }];
      const [near] = nearestWords(name, known);
      const same = known.find((each) => each.toLowerCase() === name.toLowerCase());
      const meant =
        same ??
        nameElsewhere(name, known, shell) ??
        (near !== undefined && wordSimilarity(name, near) >= SAME_NAME ? near : undefined);
      return meant === undefined ? [] : [{ name, meant }];
    });
}

function slipsOfPattern(pattern: string, known: readonly string[]): Slip[] {
  const matches = readMatcher(pattern);
  if ('problem' in matches || known.some(matches)) return [];
  const [, rule] = /^(\w+)\(.*\)$/s.exec(pattern) ?? [];
  if (rule !== undefined && known.includes(rule)) {
    const next = `A rule belongs into "if": write "matcher": "${rule}", and "if": ${JSON.stringify(pattern)} in the hook.`;
    return [{ name: pattern, meant: rule, next }];
  }
  const [, inside] = /^\/(.+)\/[a-z]*$/s.exec(pattern) ?? [];
  if (inside !== undefined) {
    return [{ name: pattern, meant: inside, next: `A pattern has no slashes around it: write "${inside}".` }];
  }
  const meant = known.find((name) => matches(name.toLowerCase()) || matches(name.toUpperCase()));
  if (meant !== undefined) return [{ name: pattern, meant }];
  // Names of servers and their tools may contain any characters.
  if (!FOREIGN.test(pattern) || mentionsMcp(pattern)) return [];
  const next = /^(\s*|\\\*)$/.test(pattern) ? FOR_ALL : separated(pattern, known);
  return [{ name: pattern, meant: pattern, next }];
}
