// Entries of a session's feed as updates.

import type { FullAgent } from '../compose/create-agent.js';
import type { FeedChange } from '../host/session-feed.js';
import { visible } from '../platform/text/visible.js';
import type { AcpCommand, AcpUpdate, ClientAbilities } from './messages.js';
import { type CallFacts, toolCall } from './tool-calls.js';

interface UpdateFacts extends CallFacts {
  abilities: ClientAbilities;
}

export function feedUpdates({ entry, isNew, from }: FeedChange, facts: UpdateFacts): AcpUpdate[] {
  switch (entry.kind) {
    case 'text':
    case 'thought': {
      const words = entry.text.after(from);
      if (words === '') return [];
      const sessionUpdate = entry.kind === 'text' ? 'agent_message_chunk' : 'agent_thought_chunk';
      return [{ sessionUpdate, messageId: entry.id, content: { type: 'text', text: words } }];
    }
    case 'call': {
      const call = toolCall(entry, facts);
      if (isNew) return [{ sessionUpdate: 'tool_call', ...call }];
      const { rawInput: _, ...changed } = call; // it has not changed
      return [{ sessionUpdate: 'tool_call_update', ...changed }];
    }
    case 'prompt':
      return entry.content.flatMap((block): AcpUpdate[] => {
        const sessionUpdate = 'user_message_chunk';
        if (block.type === 'text') return [{ sessionUpdate, messageId: entry.id, content: block }];
        if (block.type !== 'image') return [];
        const { data, media_type: mimeType } = block.source;
        return [{ sessionUpdate, messageId: entry.id, content: { type: 'image', data, mimeType } }];
      });
    case 'notice':
      return [notice(entry.id, entry.text, facts.abilities)];
    case 'compaction': {
      const { id, tokensBefore, tokensAfter } = entry;
      if (facts.abilities.compaction) {
        return [{ sessionUpdate: 'compaction_update', compactionId: id, status: 'completed' }];
      }
      const words = `The context was compacted from ${tokensBefore} to ${tokensAfter} tokens.`;
      return [notice(id, words, facts.abilities)];
    }
    case 'end':
      return 'result' in entry.end ? endWords(entry.id, entry.end.result, facts.abilities) : [];
    default:
      return [];
  }
}

/** Clients without notices get them among the model's thoughts, so that they are not taken for its answer. */
function notice(messageId: string, words: string, { notices }: ClientAbilities): AcpUpdate {
  const title = visible(words);
  if (notices) return { sessionUpdate: 'notice', severity: 'info', title };
  return { sessionUpdate: 'agent_thought_chunk', messageId, content: { type: 'text', text: `${title}\n` } };
}

/** Why a run ended early, where the stop reason does not say it. */
function endWords(
  id: string,
  { outcome, text }: Extract<Extract<FeedChange['entry'], { kind: 'end' }>['end'], { result: unknown }>['result'],
  abilities: ClientAbilities,
): AcpUpdate[] {
  const isTold =
    outcome === 'stopped' ||
    outcome === 'budget' ||
    outcome === 'goal_unmet' ||
    outcome === 'max_time' ||
    outcome === 'max_turns' ||
    outcome === 'output_limit';
  return isTold && text !== '' ? [notice(id, text, abilities)] : [];
}

/** The commands and skills that a prompt may begin with. */
export async function commandsOf(agent: FullAgent): Promise<AcpCommand[]> {
  const commands = await agent.commands();
  return commands.map(({ name, description, argumentHint }) => ({
    name,
    description: visible(description),
    ...(argumentHint !== '' && { input: { hint: visible(argumentHint) } }),
  }));
}
