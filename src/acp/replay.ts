// A conversation that was resumed, as updates: session/load shows the client all of it.

import { isInterruption } from '../agent/interruption.js';
import { isPersonText } from '../agent/store/conversation-view.js';
import type { ContentBlock, ToolResultBlock, ToolUseBlock } from '../contract/message.js';
import type { Tool, ToolDisplay } from '../contract/tool.js';
import type { HostedConversation } from '../host/hosted-conversation.js';
import type { FeedCall } from '../host/session-feed.js';
import type { AcpUpdate } from './messages.js';
import { type CallFacts, toolCall } from './tool-calls.js';

interface ReplayFacts extends CallFacts {
  findTool(name: string): Tool | undefined;
}

type Past = NonNullable<HostedConversation['past']>;

export async function* replay(past: Past, facts: ReplayFacts): AsyncGenerator<AcpUpdate, void, void> {
  for (const [index, message] of past.messages.entries()) {
    const messageId = `past-${index}`;
    if (message.role === 'user') {
      for (const block of message.content) {
        if (block.type === 'image') {
          const { data, media_type: mimeType } = block.source;
          yield { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'image', data, mimeType } };
        } else if (block.type === 'text' && isPersonText(block.text) && !isInterruption(block)) {
          yield { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'text', text: block.text } };
        }
      }
      continue;
    }
    const results = new Map<string, ToolResultBlock>();
    for (const block of past.messages[index + 1]?.content ?? []) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
    }
    for (const block of message.content) {
      if (block.type === 'text' && isPersonText(block.text)) {
        yield { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text: block.text } };
      } else if (block.type === 'thinking' && block.thinking !== '') {
        const content = { type: 'text', text: block.thinking } as const;
        yield { sessionUpdate: 'agent_thought_chunk', messageId: `${messageId}-thought`, content };
      } else if (block.type === 'tool_use') {
        const call = await pastCall(block, results.get(block.id), past, facts);
        yield { sessionUpdate: 'tool_call', ...toolCall(call, facts) };
      }
    }
  }
}

async function pastCall(
  { id, name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
  { displays, failures }: Past,
  { findTool }: ReplayFacts,
): Promise<FeedCall> {
  const isFailed = result === undefined || result.is_error === true;
  const problem = failures.get(id)?.problem ?? (isFailed && result ? textOf(result.content) : undefined);
  const display = displays.get(id) ?? (await displayOf(findTool(name), name, input));
  return {
    kind: 'call',
    id,
    tool: name,
    input,
    status: isFailed ? 'failed' : 'completed',
    display,
    ...(problem !== undefined && { problem }),
  };
}

/** A display of a call says what it wants to do, not what it did, so its body is left out. */
async function displayOf(tool: Tool | undefined, name: string, input: unknown): Promise<ToolDisplay> {
  try {
    await tool?.load();
    const { title, looks, action } = tool?.displayCall(input) ?? { title: name };
    return { title, ...(looks && { looks }), ...(action !== undefined && { action }) };
  } catch {
    return { title: name }; // its code can't be loaded: it is shown by its name
  }
}

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
