// How full the context window is, as hosts show it.
import type { FullAgent } from '../../compose/create-agent.js';
import { estimateTokens } from '../../tools/reading/estimate-tokens.js';
import type { Line } from './control-channel.js';
import type { SessionTotals } from './session-totals.js';

const SIDE = 10; // rows and columns of the picture

interface Category {
  id?: string;
  name: string;
  tokens: number;
  color: string;
  kind: 'used' | 'free' | 'buffer';
}

const idOf: Readonly<Record<string, string>> = {
  system: 'system_prompt',
  tools: 'system_tools',
  messages: 'messages',
};

export function contextFacts(agent: FullAgent, model: string, { lastUsage }: Pick<SessionTotals, 'lastUsage'>) {
  const { total, window, free, ...shares } = agent.contextUsage();
  const used = Object.entries(shares).map(([name, tokens]): Category => {
    const id = idOf[name];
    return { ...(id !== undefined && { id }), name, tokens, color: 'text', kind: 'used' };
  });
  const reserve = Math.max(0, window - total - free);
  const categories: Category[] = [
    ...used,
    { id: 'autocompact_buffer', name: 'kept for the answer', tokens: reserve, color: 'inactive', kind: 'buffer' },
    { id: 'free_space', name: 'free', tokens: free, color: 'promptBorder', kind: 'free' },
  ];
  return {
    categories,
    totalTokens: total,
    maxTokens: window,
    rawMaxTokens: window,
    freeTokens: free,
    percentage: share(total, window),
    gridRows: gridOf(categories, window),
    model,
    memoryFiles: [], // their text is counted with the system prompt
    mcpTools: mcpTools(agent),
    agents: [],
    isAutoCompactEnabled: true,
    apiUsage: lastUsage ?? null,
  };
}

/** The window as a square of equal parts, each in the category that has most of it. */
function gridOf(categories: readonly Category[], window: number): Line[][] {
  const squares: Line[] = [];
  let end = 0;
  for (const { name, tokens, color, kind } of categories) {
    end += tokens;
    const until = window > 0 ? Math.round((SIDE * SIDE * Math.min(end, window)) / window) : 0;
    const square = {
      color,
      isFilled: kind === 'used',
      categoryName: name,
      tokens,
      percentage: share(tokens, window),
      squareFullness: kind === 'used' ? 1 : 0,
    };
    while (squares.length < until) squares.push(square);
  }
  return Array.from({ length: SIDE }, (_, row) => squares.slice(row * SIDE, (row + 1) * SIDE));
}

const share = (tokens: number, window: number): number => (window > 0 ? Math.round((100 * tokens) / window) : 0);

function mcpTools({ session }: FullAgent): Line[] {
  const offered = session.tools.all.filter(({ source, enabled }) => source === 'mcp' && enabled);
  return offered.map(({ tool, server = '' }) => ({
    name: tool.name,
    serverName: server,
    tokens: estimateTokens(JSON.stringify(session.tools.describe(tool))),
    isLoaded: session.tools.isActive(tool),
  }));
}
