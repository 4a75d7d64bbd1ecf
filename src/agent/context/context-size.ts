import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../contract/message.js';
import type { ModelRequest, Usage } from '../../contract/model.js';
import { estimateTokens } from '../../tools/reading/estimate-tokens.js';

const IMAGE_TOKENS = 1_600; // what a provider makes of a large image at most; small ones cost less
const BLOCK_TOKENS = 8; // names of fields, ids, marks of where a block begins and ends
const SCHEMA_CHARS_PER_TOKEN = 3.5; // punctuation makes it a little less than that of prose
const MAX_ERROR = 4; // a report that is this many times off says more about the server than about the estimate

/** Tokens by what they are spent on. */
export interface ContextParts {
  system: number;
  tools: number;
  /** What was said and called. */
  messages: number;
  results: number;
}

type Content = Pick<ModelRequest, 'system' | 'tools' | 'messages'>;

interface MessageSize {
  messages: number;
  results: number;
}

/**
 * How many tokens a request has: estimated for each block, once, and set right by what the provider reports. A request
 * that goes on from the one before costs only what was added.
 */
export class ContextSize {
  readonly #known = new WeakMap<object, MessageSize>();
  #fixed: { of: Pick<Content, 'system' | 'tools'>; system: number; tools: number } | undefined;
  #sum: MessageSize & { count: number; last: Message | undefined } = emptySum();
  /** Real tokens for one that was estimated. */
  #ratio = 1;

  /** In real tokens, as far as these are known. */
  measure(content: Content): ContextParts {
    const { system, tools } = this.#measureFixed(content);
    const { messages, results } = this.#measureMessages(content.messages);
    const real = (tokens: number): number => Math.round(tokens * this.#ratio);
    return { system: real(system), tools: real(tools), messages: real(messages), results: real(results) };
  }

  ofMessage(message: Message): number {
    const { messages, results } = this.#sizeOf(message);
    return (messages + results) * this.#ratio;
  }

  ofBlock(block: UserBlock | AssistantBlock): number {
    return blockTokens(block) * this.#ratio;
  }

  /** About how many characters of this text make so many tokens. */
  charsOf(text: string, tokens: number): number {
    const all = Math.max(1, estimateTokens(text) * this.#ratio);
    return Math.max(0, Math.floor(text.length * Math.min(1, tokens / all)));
  }

  /** What the provider counted for a request that was measured just before. */
  calibrate(content: Content, usage: Usage): void {
    const { system, tools } = this.#measureFixed(content);
    const { messages, results } = this.#measureMessages(content.messages);
    const estimated = system + tools + messages + results;
    const counted = [usage.input_tokens, usage.cache_read_input_tokens, usage.cache_creation_input_tokens]
      .map((tokens) => Math.max(0, tokens))
      .reduce((sum, tokens) => sum + tokens, 0);
    const ratio = counted / estimated;
    if (ratio > 1 / MAX_ERROR && ratio < MAX_ERROR) this.#ratio = ratio;
  }

  /** Messages that were counted have been replaced. */
  recount(): void {
    this.#sum = emptySum();
  }

  #measureFixed({ system, tools }: Content): { system: number; tools: number } {
    if (this.#fixed?.of.system === system && this.#fixed.of.tools === tools) return this.#fixed;
    this.#fixed = {
      of: { system, tools },
      system: system.reduce((sum, text) => sum + estimateTokens(text) + BLOCK_TOKENS, 0),
      // By its length alone: it is mostly English, and counted before the first request of every run.
      tools: Math.ceil(JSON.stringify(tools).length / SCHEMA_CHARS_PER_TOKEN),
    };
    return this.#fixed;
  }

  #measureMessages(messages: readonly Message[]): MessageSize {
    const { count, last } = this.#sum;
    if (count > messages.length || (count > 0 && messages[count - 1] !== last)) this.recount();
    const sum = this.#sum;
    for (let index = sum.count; index < messages.length; index += 1) {
      const message = messages[index];
      if (!message) break;
      const size = this.#sizeOf(message);
      sum.messages += size.messages;
      sum.results += size.results;
      sum.count = index + 1;
      sum.last = message;
    }
    return sum;
  }

  #sizeOf(message: Message): MessageSize {
    const known = this.#known.get(message);
    if (known) return known;
    const size: MessageSize = { messages: 0, results: 0 };
    for (const block of message.content) {
      size[block.type === 'tool_result' ? 'results' : 'messages'] += blockTokens(block);
    }
    this.#known.set(message, size);
    return size;
  }
}

const emptySum = () => ({ messages: 0, results: 0, count: 0, last: undefined });

function blockTokens(block: UserBlock | AssistantBlock): number {
  switch (block.type) {
    case 'text':
      return estimateTokens(block.text) + BLOCK_TOKENS;
    case 'image':
      return IMAGE_TOKENS;
    case 'thinking':
      return estimateTokens(block.thinking) + BLOCK_TOKENS;
    case 'tool_use':
      return estimateTokens(block.name) + jsonTokens(block.input) + 2 * BLOCK_TOKENS;
    case 'opaque':
      return jsonTokens(block.value) + BLOCK_TOKENS;
    case 'tool_result':
      return resultTokens(block);
  }
}

function resultTokens({ content }: ToolResultBlock): number {
  const inside =
    typeof content === 'string' ? estimateTokens(content) : content.reduce((sum, block) => sum + blockTokens(block), 0);
  return inside + BLOCK_TOKENS;
}

const jsonTokens = (value: unknown): number => estimateTokens(JSON.stringify(value) ?? '');
