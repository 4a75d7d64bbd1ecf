// Converts the results of calls to MCP's form, and checks what programs say in it.
import { type CallToolResult, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { McpBlock } from '../../contract/mcp-serving.js';
import { jsonSchemaIssues } from '../../platform/json-schema.js';
import type { ServedResult, ServedTool } from './serve-port.js';

type ResultBlock = CallToolResult['content'][number];

export async function toCallResult(
  { content, mcp, failure }: ServedResult,
  tool: Pick<ServedTool, 'name' | 'outputSchema'> | undefined,
): Promise<CallToolResult> {
  const blocks = contentBlocks(content);
  if (failure === 'unknown_tool') {
    const words = blocks.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, words);
  }
  if (failure !== undefined) return { content: blocks, isError: true };
  const { structuredContent } = mcp ?? {};
  const problem = tool && (await structureProblem(tool, structuredContent));
  if (problem !== undefined) return { content: [...blocks, { type: 'text', text: problem }], isError: true };
  return {
    content: mcp?.content ? toBlocks(mcp.content) : blocks,
    ...(structuredContent !== undefined && { structuredContent }),
  };
}

/** Copies, since the types of MCP are mutable. */
export const toBlocks = (blocks: readonly McpBlock[]): ResultBlock[] => blocks.map((block) => ({ ...block }));

const contentBlocks = (content: ServedResult['content']): ResultBlock[] =>
  (typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content).map((block) =>
    block.type === 'text'
      ? { type: 'text', text: block.text }
      : { type: 'image', data: block.source.data, mimeType: block.source.media_type },
  );

/** Clients refuse a result that does not match the schema that they were given. */
async function structureProblem(
  { name, outputSchema }: Pick<ServedTool, 'name' | 'outputSchema'>,
  structuredContent: unknown,
): Promise<string | undefined> {
  if (!outputSchema) return undefined;
  if (structuredContent === undefined) {
    return `${name} has an output schema, but this result has no structured content: the tool gave none, or a hook replaced the result.`;
  }
  const [issue] = await jsonSchemaIssues(outputSchema, structuredContent);
  if (!issue) return undefined;
  return `The structured content of ${name} does not match its output schema: ${issue.path || 'it'} ${issue.message}. This is an error of the tool.`;
}
