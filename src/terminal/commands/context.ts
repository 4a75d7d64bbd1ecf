import { readFile } from 'node:fs/promises';
import { findInstructions } from '../../agent/instructions/instruction-files.js';
import { withShownPaths } from '../../display/shown-path.js';
import { estimateTokens } from '../../tools/reading/estimate-tokens.js';
import type { CommandSession, ContextDetail, TerminalCommand } from '../contract.js';
import { text } from './answers.js';

const MAX_LISTED = 5;

export const context: TerminalCommand = {
  name: 'context',
  group: 'Model',
  description: 'show what fills the context window',

  async run(_, session) {
    const { context: used } = session;
    if (!used) return text('There is no model, so there is no context to fill.');
    return { type: 'context', context: { ...used, details: await detailsOf(session) } };
  },
};

async function detailsOf(session: CommandSession): Promise<ContextDetail[]> {
  const { root, home, dataFolder, env } = session;
  const files = await Promise.all(
    findInstructions({ root, home, dataFolder, env }).map(async ({ path, shown }) => ({
      name: shown,
      tokens: estimateTokens(await readFile(path, 'utf8').catch(() => '')),
    })),
  );
  const details: ContextDetail[] = [
    { title: 'Instruction files', items: files },
    { title: 'MCP servers', items: session.serverTools().map(({ server, tokens }) => ({ name: server, tokens })) },
    {
      title: 'Largest results',
      items: session
        .largestResults()
        .map(({ title, tokens }) => ({ name: withShownPaths(title, { root, home }), tokens })),
    },
  ];
  return details
    .filter(({ items }) => items.length > 0)
    .map(({ title, items }) => ({
      title,
      items: items.toSorted((one, other) => other.tokens - one.tokens).slice(0, MAX_LISTED),
    }));
}
