// Clears old results first: they are most of a long conversation, and few of them are still needed.
import type { Message, ToolResultBlock, ToolUseBlock, UserBlock } from '../../contract/message.js';
import { grouped } from '../../platform/text/digits.js';
import { inputLine } from '../store/conversation-view.js';
import type { ContextSize } from './context-size.js';
import { imagesIn, savedIn, textOf } from './cut-result.js';

const LEAST_TOKENS = 200; // a smaller result is hardly larger than its placeholder

export interface Clearing {
  /** The placeholder of each result, by call id. */
  cleared: ReadonlyMap<string, string>;
  /** Tokens that this frees. */
  freed: number;
}

/** The results to clear: all but the latest, which together may have `keep` tokens, and never those of the last turn. */
export function planClearing(
  messages: readonly Message[],
  { size, keep, resultsFolder }: { size: ContextSize; keep: number; resultsFolder: string },
): Clearing {
  const cleared = new Map<string, string>();
  let freed = 0;
  let kept = 0;
  let isLatest = true;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const results = (messages[index]?.content ?? []).filter((block) => block.type === 'tool_result');
    for (const result of results) {
      const tokens = size.ofBlock(result);
      kept += tokens;
      if (isLatest || kept <= keep || tokens < LEAST_TOKENS) continue;
      const text = placeholder(result, callOf(result, messages[index - 1]), resultsFolder);
      cleared.set(result.tool_use_id, text);
      freed += tokens - size.ofBlock({ ...result, content: text });
    }
    if (results.length > 0) isLatest = false;
  }
  return { cleared, freed };
}

/** The messages with these results cleared; the others are the same objects. */
export function withCleared(messages: readonly Message[], cleared: ReadonlyMap<string, string>): Message[] {
  return messages.map((message) => {
    if (message.role === 'assistant') return message;
    const content = message.content.map((block): UserBlock => {
      const text = block.type === 'tool_result' ? cleared.get(block.tool_use_id) : undefined;
      return block.type !== 'tool_result' || text === undefined ? block : { ...block, content: text };
    });
    return content.some((block, index) => block !== message.content[index]) ? { role: 'user', content } : message;
  });
}

const callOf = ({ tool_use_id }: ToolResultBlock, asked: Message | undefined): ToolUseBlock | undefined =>
  asked?.content.find((block): block is ToolUseBlock => block.type === 'tool_use' && block.id === tool_use_id);

/** Deterministic: the same result always has the same placeholder. */
function placeholder(result: ToolResultBlock, call: ToolUseBlock | undefined, resultsFolder: string): string {
  const text = textOf(result);
  const images = imagesIn(result);
  const line = call ? inputLine(call.input, (words) => words) : '';
  const what = `${call?.name ?? 'a call'}${line === '' ? '' : ` (${line})`}`;
  const length = `${grouped(text.length)} characters${images > 0 ? ` and ${images === 1 ? 'an image' : `${images} images`}` : ''}`;
  const saved = savedIn(text, resultsFolder);
  const again = saved
    ? `All of it is in ${saved}: read it in parts, or search it.`
    : 'The call did take place; to see this again, read or search what it showed.';
  return `[The result of ${what}, ${length}, was cleared to make room. ${again}]`;
}
