import * as z from 'zod';
import { defineTool } from '../contract/tool.js';
import type { DescribeContext } from '../contract/tool-context.js';

const DEFAULT_RESULTS = 5;
const MAX_RESULTS = 20; // more schemas than this cost more context than they save

const description = ({
  deferredTools,
}: DescribeContext): string => `Load tools that are known by name only, so that you can call them.
Use it when the task needs one of the tools listed below. The tools it finds are yours from your next message on.
Query: "select:Name,Other" for exact names, or words to search names and descriptions for; "+word" must be in the name.
Tools by name: ${deferredTools.join(', ')}`;

const input = z.strictObject({
  query: z.string().min(1).describe('"select:Name,Other", or words to search for'),
  max_results: z
    .int()
    .min(1)
    .max(MAX_RESULTS)
    .optional()
    .describe(`How many tools to load. Default ${DEFAULT_RESULTS}.`),
});

export const toolSearchTool = defineTool({
  name: 'ToolSearch',
  description,
  input,
  isEnabled: ({ deferredTools }) => deferredTools.length > 0,
  effects: () => [{ kind: 'session', access: 'write', what: 'tools' }],

  async execute({ query, max_results = DEFAULT_RESULTS }, { session }) {
    const known = session.tools.deferred();
    const found = query.startsWith('select:') ? byName(query, known) : byWords(query, known).slice(0, max_results);
    session.tools.activate(found.map(({ name }) => name));
    return { found, known: known.map(({ name }) => name) };
  },

  toModel({ found, known }, { query }) {
    if (found.length === 0) return `No tool fits "${query}". The tools that can be loaded are: ${known.join(', ')}.`;
    const lines = found.map(({ name, description }) => `${name}: ${description.split('\n')[0]}`);
    return `Loaded, ready from your next message on:\n${lines.join('\n')}`;
  },

  displayCall: ({ query = '' }) => ({ title: query }),
  displayResult: ({ found }) => ({
    title: `${found.length} tools`,
    body: { type: 'list', items: found.map(({ name }) => name) },
  }),
});

interface KnownTool {
  name: string;
  description: string;
}

function byName(query: string, known: readonly KnownTool[]): readonly KnownTool[] {
  const wanted = query
    .slice('select:'.length)
    .split(',')
    .map((name) => name.trim().toLowerCase());
  return known.filter(({ name }) => wanted.includes(name.toLowerCase()));
}

function byWords(query: string, known: readonly KnownTool[]): readonly KnownTool[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const required = words.filter((word) => word.startsWith('+')).map((word) => word.slice(1));
  const plain = words.map((word) => word.replace(/^\+/, ''));
  return known
    .filter(({ name }) => required.every((word) => name.toLowerCase().includes(word)))
    .map((tool) => ({ tool, score: plain.reduce((sum, word) => sum + score(word, tool), 0) }))
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .map(({ tool }) => tool);
}

function score(word: string, { name, description }: KnownTool): number {
  const lowerName = name.toLowerCase();
  if (lowerName === word) return 10;
  if (lowerName.includes(word)) return 5;
  return description.toLowerCase().includes(word) ? 2 : 0;
}
