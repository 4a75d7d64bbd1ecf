// Facts about the messages of a conversation, for commands.
import type { Message } from '../../contract/message.js';
import type { ToolDefinition } from '../../contract/model.js';
import { serverPartOf } from '../../platform/text/mcp-names.js';
import { estimateTokens } from '../../tools/reading/estimate-tokens.js';

const MAX_RESULTS = 5;
const MAX_TITLE_CHARS = 300; // the view cuts it to the width, after its paths were shortened

/** The text of the last answer that has any. */
export function lastAnswer(messages: readonly Message[]): string | undefined {
  for (const { role, content } of messages.toReversed()) {
    if (role !== 'assistant') continue;
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
    if (text.trim() !== '') return text.trim();
  }
  return undefined;
}

/** The largest results of calls, the largest first, each with its tool and the first value of its input. */
export function largestResults(messages: readonly Message[]): Array<{ title: string; tokens: number }> {
  const calls = new Map<string, string>();
  const results: Array<{ title: string; tokens: number }> = [];
  for (const block of messages.flatMap(({ content }) => [...content])) {
    if (block.type === 'tool_use') {
      const subject = Object.values(block.input ?? {}).find((value) => typeof value === 'string') ?? '';
      calls.set(block.id, `${block.name} ${subject.replaceAll(/\s+/g, ' ').slice(0, MAX_TITLE_CHARS)}`.trim());
    } else if (block.type === 'tool_result') {
      const text = typeof block.content === 'string' ? block.content : JSON.stringify(block.content);
      results.push({ title: calls.get(block.tool_use_id) ?? '', tokens: estimateTokens(text) });
    }
  }
  return results.toSorted((one, other) => other.tokens - one.tokens).slice(0, MAX_RESULTS);
}

/** How many tokens the definitions of each MCP server take. */
export function serverTools(definitions: readonly ToolDefinition[]): Array<{ server: string; tokens: number }> {
  const byServer = new Map<string, number>();
  for (const definition of definitions) {
    const server = serverPartOf(definition.name);
    if (server === undefined) continue;
    byServer.set(server, (byServer.get(server) ?? 0) + estimateTokens(JSON.stringify(definition)));
  }
  return [...byServer]
    .map(([server, tokens]) => ({ server, tokens }))
    .toSorted((one, other) => other.tokens - one.tokens);
}
