// Calls as ACP shows them. What a call is and where it works follows from its effects, and before those are known from
// its display and what its tool declares; no tool is known by name.

import type { Effect } from '../contract/effect.js';
import type { DisplayBody, ToolDisplay } from '../contract/tool.js';
import type { RuleFamily, ToolTable } from '../contract/tool-traits.js';
import type { FeedCall } from '../host/session-feed.js';
import { visible } from '../platform/text/visible.js';
import type { AcpToolCall, AcpToolContent, AcpToolKind } from './messages.js';
import { diffsOf } from './patch-diffs.js';

const MAX_LOCATIONS = 20;
const MAX_TITLE_CHARS = 400;
const MAX_TEXT_CHARS = 50_000; // of one result: editors draw all of it
const MAX_INPUT_CHARS = 200_000;

const kindOfFamily: Readonly<Partial<Record<RuleFamily, AcpToolKind>>> = {
  read: 'read',
  edit: 'edit',
  command: 'execute',
  domain: 'fetch',
  search: 'fetch',
  agent: 'think',
};

export interface CallFacts {
  tools: ToolTable;
  /** The project: names in patches start there. */
  root: string;
}

export function toolCall(call: FeedCall, facts: CallFacts): AcpToolCall {
  const { id, tool, input, display, effects, agent } = call;
  const content = contentOf(call, facts);
  const title = titleOf(tool, display);
  return {
    toolCallId: id,
    title: agent ? `${visible(agent.type)}: ${title}` : title,
    name: tool,
    kind: kindOf(tool, display, effects, facts.tools),
    status: call.status === 'running' ? 'in_progress' : call.status,
    locations: locationsOf(effects),
    ...(content.length > 0 && { content }),
    ...(isSmall(input) && { rawInput: input }),
    ...(agent && { _meta: { 'helve/parentToolCallId': agent.parentCallId, 'helve/agent': agent.type } }),
  };
}

export function titleOf(tool: string, { action, title, facts = [] }: ToolDisplay): string {
  const name = action ?? tool;
  const isNamedOnce = title === '' || title.toLowerCase() === name.toLowerCase(); // as of a tool that has nothing to add
  const words = isNamedOnce ? name : `${name} ${title}`;
  const line = visible(words).replaceAll(/\s+/g, ' ');
  const cut = line.length > MAX_TITLE_CHARS ? `${line.slice(0, MAX_TITLE_CHARS)}…` : line;
  return facts.length === 0 ? cut : `${cut} (${visible(facts.join(', '))})`;
}

export function kindOf(
  tool: string,
  { looks, body }: ToolDisplay,
  effects: readonly Effect[] | undefined,
  { traits }: ToolTable,
): AcpToolKind {
  const byEffects = effects && kindOfEffects(effects, looks);
  if (byEffects && byEffects !== 'other') return byEffects;
  if (body?.type === 'diff') return 'edit';
  if (body?.type === 'todos') return 'think';
  if (looks) return looks === 'read' ? 'read' : 'search';
  const { family } = traits.get(tool) ?? {};
  return (family && kindOfFamily[family]) ?? 'other';
}

/** The strongest effect gives the kind. */
function kindOfEffects(effects: readonly Effect[], looks: ToolDisplay['looks']): AcpToolKind {
  const has = (fits: (effect: Effect) => boolean): boolean => effects.some(fits);
  const writes = effects.filter((effect) => effect.kind === 'file' && effect.access === 'write');
  if (has(({ kind }) => kind === 'command')) return 'execute';
  if (writes.length > 0) return writes.every((effect) => effect.kind === 'file' && effect.removes) ? 'delete' : 'edit';
  if (has(({ kind }) => kind === 'network')) return 'fetch';
  if (has((effect) => effect.kind === 'file')) return looks === 'search' || looks === 'list' ? 'search' : 'read';
  if (has((effect) => effect.kind === 'session' && effect.access === 'write' && effect.what === 'mode')) {
    return 'switch_mode';
  }
  if (has((effect) => effect.kind === 'session' && effect.what === 'todos')) return 'think';
  return 'other';
}

/** The files that it touches by name, those that it writes first. */
export function locationsOf(effects: readonly Effect[] = []): Array<{ path: string }> {
  const files = effects.filter((effect) => effect.kind === 'file');
  const named = files.filter(({ unresolved, pattern, found }) => unresolved === undefined && !pattern && !found);
  const ordered = [
    ...named.filter(({ access }) => access === 'write'),
    ...named.filter(({ access }) => access === 'read'),
  ];
  return [...new Set(ordered.map(({ path }) => path))].slice(0, MAX_LOCATIONS).map((path) => ({ path }));
}

function contentOf({ status, display, progress, problem }: FeedCall, { root }: CallFacts): AcpToolContent[] {
  if (status === 'failed' && problem !== undefined) return [...bodyContent(display, root), ...text(visible(problem))];
  if (status === 'running' && progress !== undefined) return text(fenced(visible(progress)));
  return bodyContent(display, root);
}

/** What a display shows below its title. */
export function bodyContent({ body, writtenBy }: ToolDisplay, root: string): AcpToolContent[] {
  if (!body) return [];
  if (body.type === 'diff') {
    const diffs = diffsOf(body.patch, { path: body.path, root });
    return diffs.length > 0 && !body.isPartial ? diffs : text(fenced(visible(body.patch), 'diff'));
  }
  const words = bodyText(body);
  const by = writtenBy === undefined ? '' : `Written by ${visible(writtenBy)}:\n\n`;
  return words === '' ? [] : text(`${by}${words}`);
}

function bodyText(body: Exclude<DisplayBody, { type: 'diff' }>): string {
  switch (body.type) {
    case 'markdown':
      return visible(body.text);
    case 'text':
    case 'output':
      return body.text.trim() === '' ? '' : fenced(visible(body.text));
    case 'list':
      return body.items.map((item) => `- ${visible(item)}`).join('\n');
    case 'todos':
      return ''; // shown as a plan
  }
}

/** In a fence that the text can't close. */
function fenced(words: string, language = ''): string {
  const longest = Math.max(2, ...[...words.matchAll(/`{3,}/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  const cut = words.length > MAX_TEXT_CHARS ? `${words.slice(0, MAX_TEXT_CHARS)}\n…` : words;
  return `${fence}${language}\n${cut.trimEnd()}\n${fence}`;
}

export const text = (words: string): AcpToolContent[] => [{ type: 'content', content: { type: 'text', text: words } }];

const isSmall = (input: unknown): boolean =>
  input !== undefined && (JSON.stringify(input)?.length ?? 0) <= MAX_INPUT_CHARS;
