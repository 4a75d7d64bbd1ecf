import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { DeferredTool, DescribeContext } from '../contract/tool-context.js';
import { counted } from '../platform/text/counted.js';
import { ToolRanking } from './tool-search-ranking.js';

const DEFAULT_RESULTS = 5;
const MAX_NAMED = 100; // if nothing matches; the rest is found by other words
const MAX_RESULTS = 20; // more schemas than this cost more context than they save

const description = ({
  deferredTools,
}: DescribeContext): string => `Load tools known by name only: those below, and those of MCP servers as announced. You have them from your next message on.
Query: "select:Name,Other", or words; "+word" must be in the name.
By name: ${deferredTools.join(', ')}`;

const input = z.strictObject({
  query: z.string().min(1),
  max_results: z.int().min(1).max(MAX_RESULTS).optional(),
});

export const toolSearchTool = defineTool({
  name: 'ToolSearch',
  title: 'Find tools',
  about: 'Loads tools that the model knows only by name.',
  description,
  input,
  isEnabled: ({ deferredTools }) => deferredTools.length > 0,
  effects: () => [{ kind: 'session', access: 'write', what: 'tools' }],

  async execute({ query, max_results = DEFAULT_RESULTS }, { session }) {
    const known = session.tools.deferred();
    const found = query.startsWith('select:')
      ? byName(query, known).slice(0, MAX_RESULTS)
      : session.own(newRanking).search(query, known).slice(0, max_results);
    session.tools.activate(found.map(({ name }) => name));
    return { found, known: known.map(({ name }) => name), absent: session.tools.absent() };
  },

  toModel({ found, known, absent }, { query }) {
    if (found.length === 0) {
      const rest = known.length > MAX_NAMED ? `, and ${known.length - MAX_NAMED} more` : '';
      const names = `The tools that can be loaded are: ${known.slice(0, MAX_NAMED).join(', ')}${rest}.`;
      return [`No tool fits "${query}". ${names}`, ...absent].join('\n');
    }
    const lines = found.map(({ name, description }) => `${name}: ${description.split('\n')[0]}`);
    return `Loaded, ready from your next message on:\n${lines.join('\n')}`;
  },

  displayCall: ({ query = '' }) => ({ title: query, looks: 'search' }),
  displayResult: ({ found }, { query }) => ({
    title: query,
    facts: [counted(found.length, 'tool')],
    looks: 'search',
    body: { type: 'list', items: found.map(({ name }) => name) },
  }),
});

function byName(query: string, known: readonly DeferredTool[]): readonly DeferredTool[] {
  const wanted = query
    .slice('select:'.length)
    .split(',')
    .map((name) => name.trim().toLowerCase());
  return known.filter(({ name }) => wanted.includes(name.toLowerCase()));
}

/** One per session, which caches what it has read. */
const newRanking = (): ToolRanking => new ToolRanking();
