// Step 12 of the path: every call ends in exactly one result.
import type { ToolResultEvent } from '../contract/event.js';
import { ToolFailure } from '../contract/failure.js';
import type { McpResult } from '../contract/mcp-serving.js';
import type { ContentBlock } from '../contract/message.js';
import type { ToolDisplay, ToolOutcome } from '../contract/tool.js';
import type { ToolContext } from '../contract/tool-context.js';
import { reminder } from '../platform/text/reminder.js';
import type { HookWords } from './call-hooks.js';
import type { FailureReport } from './failure-text.js';
import { fitResult } from './result-budget.js';

interface Answered {
  id: string;
  name: string;
}

export async function settleSuccess(
  call: Answered,
  outcome: ToolOutcome,
  { words, maxResultChars, context }: { words: HookWords; maxResultChars: number; context: ToolContext },
): Promise<ToolResultEvent> {
  const answer = words.instead ? asText(words.instead.value) : outcome.content;
  const content = withWords(await fitResult(presentable(answer), maxResultChars, context), words);
  return {
    type: 'tool_result',
    callId: call.id,
    tool: call.name,
    result: { type: 'tool_result', tool_use_id: call.id, content },
    data: outcome.data,
    ...(outcome.mcp && !words.instead && { mcp: mcpWithWords(outcome.mcp, words) }),
    display: outcome.display,
  };
}

export function settleFailure(
  call: Answered,
  failure: FailureReport,
  { error, display, words }: { error: unknown; display: ToolDisplay; words: HookWords | undefined },
): ToolResultEvent {
  const content = words ? withWords(failure.text, words) : failure.text;
  return {
    type: 'tool_result',
    callId: call.id,
    tool: call.name,
    result: { type: 'tool_result', tool_use_id: call.id, content, is_error: true },
    failure: failure.kind,
    problem: failure.problem,
    error,
    ...(error instanceof ToolFailure && error.data !== undefined && { data: error.data }),
    display: error instanceof ToolFailure ? { ...display, ...error.display } : display,
  };
}

/** Appends messages of hooks to the tool's answer, marked as such: they are not from the tool or the person. */
function withWords(content: string | ContentBlock[], { added }: HookWords): string | ContentBlock[] {
  if (added.length === 0) return content;
  const text = added.map(reminder).join('\n');
  return typeof content === 'string' ? `${content}\n\n${text}` : [...content, { type: 'text', text }];
}

function mcpWithWords(result: McpResult, { added }: HookWords): McpResult {
  if (!result.content || added.length === 0) return result;
  return { ...result, content: [...result.content, { type: 'text', text: added.map(reminder).join('\n') }] };
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'];

/**
 * Keeps only blocks that every provider accepts, since one bad block would make every later request fail. An empty
 * answer is replaced by a note, so that the model knows that it is empty.
 */
function presentable(content: ToolOutcome['content']): string | ContentBlock[] {
  if (typeof content === 'string') return content === '' ? NO_OUTPUT : content;
  if (!Array.isArray(content)) return asText(content ?? '') || NO_OUTPUT; // a tool written without types
  const blocks = content.map(presentableBlock).filter((block) => block !== undefined);
  return blocks.length === 0 ? NO_OUTPUT : blocks;
}

const NO_OUTPUT = '(no output)';

function presentableBlock(block: ContentBlock): ContentBlock | undefined {
  if (block.type === 'text') return /\S/.test(block.text) ? { type: 'text', text: block.text } : undefined;
  if (block.type !== 'image') return leftOut('a block of a kind that results can not hold');
  const { media_type, data } = block.source;
  if (!IMAGE_TYPES.includes(media_type))
    return leftOut(`an image of the type ${media_type}; use ${IMAGE_TYPES.join(', ')}`);
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return leftOut('an image without valid data');
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

const leftOut = (what: string): ContentBlock => ({ type: 'text', text: `(left out: ${what})` });
