// A conversation that was resumed, as updates: session/load shows the client all of it.

import type { Tool } from '../contract/tool.js';
import type { HostedConversation } from '../host/hosted-conversation.js';
import { pastEntries } from '../host/past-entries.js';
import type { AcpUpdate } from './messages.js';
import { type CallFacts, toolCall } from './tool-calls.js';

interface ReplayFacts extends CallFacts {
  findTool(name: string): Tool | undefined;
}

type Past = NonNullable<HostedConversation['past']>;

export async function* replay(past: Past, facts: ReplayFacts): AsyncGenerator<AcpUpdate, void, void> {
  for await (const entry of pastEntries(past, facts.findTool)) {
    const [messageId = ''] = entry.id.split('.');
    if (entry.kind === 'prompt') {
      for (const block of entry.content) {
        if (block.type === 'image') {
          const { data, media_type: mimeType } = block.source;
          yield { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'image', data, mimeType } };
        } else if (block.type === 'text') {
          yield { sessionUpdate: 'user_message_chunk', messageId, content: { type: 'text', text: block.text } };
        }
      }
    } else if (entry.kind === 'text') {
      yield { sessionUpdate: 'agent_message_chunk', messageId, content: { type: 'text', text: entry.text } };
    } else if (entry.kind === 'thought') {
      const content = { type: 'text', text: entry.text } as const;
      yield { sessionUpdate: 'agent_thought_chunk', messageId: `${messageId}-thought`, content };
    } else if (entry.kind === 'call') yield { sessionUpdate: 'tool_call', ...toolCall(entry, facts) };
  }
}
