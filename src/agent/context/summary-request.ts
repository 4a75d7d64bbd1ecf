// The request for a summary: the unchanged conversation, so that the provider's prompt cache is used, and one instruction.
// If that does not fit, the largest results are shortened, and then the oldest rounds left out.
import type { Message, TextBlock, UserBlock } from '../../contract/message.js';
import { grouped } from '../../platform/text/digits.js';
import { safeCut } from '../../platform/text/truncate.js';
import type { ContextSize } from './context-size.js';
import { shortened, textOf } from './cut-result.js';
import { fairShare } from './fair-share.js';

const LEAST_BLOCK_TOKENS = 100; // enough to recognize the content

/** Adds the instruction at the end of the last user message. */
export function askingFor(messages: readonly Message[], instruction: string): Message[] {
  const text: TextBlock = { type: 'text', text: instruction };
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [text] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, text] }];
}

interface Fit {
  size: ContextSize;
  /** Tokens for all messages together. */
  budget: number;
}

/** The messages within the budget; undefined if not even the last round fits. */
export function fitHistory(messages: readonly Message[], fit: Fit): readonly Message[] | undefined {
  if (tokensOf(messages, fit.size) <= fit.budget) return messages;
  const shortResults = withShort(messages, (block) => block.type === 'tool_result', fit);
  if (tokensOf(shortResults, fit.size) <= fit.budget) return shortResults;
  const allShort = withShort(messages, () => true, fit);
  return tokensOf(allShort, fit.size) <= fit.budget ? allShort : latestRounds(allShort, fit);
}

const tokensOf = (messages: readonly Message[], size: ContextSize): number =>
  messages.reduce((sum, message) => sum + size.ofMessage(message), 0);

/** Shortens the largest of these blocks as far as necessary. Answers of the model stay: they are signed, or short. */
function withShort(
  messages: readonly Message[],
  mayCut: (block: UserBlock) => boolean,
  { size, budget }: Fit,
): readonly Message[] {
  const wishes = messages.flatMap(({ role, content }) =>
    role === 'user' ? content.filter(mayCut).map((block) => size.ofBlock(block)) : [],
  );
  const others = tokensOf(messages, size) - wishes.reduce((sum, wish) => sum + wish, 0);
  const share = Math.max(fairShare(wishes, budget - others), LEAST_BLOCK_TOKENS);
  return messages.map((message) => {
    if (message.role === 'assistant') return message;
    const content = message.content.map((block) =>
      mayCut(block) && size.ofBlock(block) > share ? shortBlock(block, share, size) : block,
    );
    return content.some((block, index) => block !== message.content[index]) ? { role: 'user', content } : message;
  });
}

function shortBlock(block: UserBlock, tokens: number, size: ContextSize): UserBlock {
  if (block.type === 'image') return { type: 'text', text: '[Here was an image.]' };
  const length = grouped((block.type === 'text' ? block.text : textOf(block)).length);
  const words = `[Shortened: this has ${length} characters.]`;
  if (block.type === 'tool_result') return shortened(block, { words, tokens, size });
  const kept = block.text.slice(0, safeCut(block.text, size.charsOf(block.text, tokens)));
  return { type: 'text', text: `${kept}\n${words}` };
}

/** The beginning and as many of the latest rounds as fit. */
function latestRounds(messages: readonly Message[], { size, budget }: Fit): readonly Message[] | undefined {
  const first = withNote(messages[0]);
  let left = budget - size.ofMessage(first);
  let from: number | undefined;
  for (let index = messages.length - 1; index > 0; index -= 1) {
    const message = messages[index];
    if (!message) break;
    left -= size.ofMessage(message);
    if (left < 0) break;
    if (message.role === 'assistant') from = index;
  }
  return from === undefined ? undefined : [first, ...messages.slice(from)];
}

function withNote(message: Message | undefined): Message {
  const said = message?.role === 'user' ? message.content : [];
  return {
    role: 'user',
    content: [...said, { type: 'text', text: '[What came next does not fit into this request.]' }],
  };
}
