import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../contract/message.js';
import type { ModelRequest, Usage } from '../../contract/model.js';
import { estimateTokens } from '../../tools/reading/estimate-tokens.js';

const IMAGE_TOKENS = 1_600; // the most that providers count for a large image; small ones have less
const BLOCK_TOKENS = 8; // names of fields, ids and delimiters
const SCHEMA_CHARS_PER_TOKEN = 3.5; // a little less than for prose, because of punctuation
const MAX_ERROR = 4; // a count that differs by more than this factor is a fault of the server, not of the estimate

/** Tokens by category. */
export interface ContextParts {
  system: number;
  tools: number;
  /** Prompts, answers and calls. */
  messages: number;
  results: number;
}

type Content = Pick<ModelRequest, 'system' | 'tools' | 'messages'>;

interface MessageSize {
  messages: number;
  results: number;
}

/**
 * Estimates the tokens of a request: once for each block, and calibrated by the counts of the provider. A request
 * that extends the previous one needs only the new blocks estimated.
 */
export class ContextSize {
  readonly #known = new WeakMap<object, MessageSize>();
  #fixed: { of: Pick<Content, 'system' | 'tools'>; system: number; tools: number } | undefined;
  #sum: MessageSize & { count: number; last: Message | undefined } = emptySum();
  /** Real tokens per estimated token. */
  #ratio = 1;

  /** In calibrated tokens. */
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

  /** Approximately how many characters of this text have this many tokens. */
  charsOf(text: string, tokens: number): number {
    const all = Math.max(1, estimateTokens(text) * this.#ratio);
    return Math.max(0, Math.floor(text.length * Math.min(1, tokens / all)));
  }

  /** Calibrates with the provider's count for the request that was measured last. */
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

  /** To be called when messages that were counted have been replaced. */
  recount(): void {
    this.#sum = emptySum();
  }

  #measureFixed({ system, tools }: Content): { system: number; tools: number } {
    if (this.#fixed?.of.system === system && this.#fixed.of.tools === tools) return this.#fixed;
    this.#fixed = {
      of: { system, tools },
      system: system.reduce((sum, text) => sum + estimateTokens(text) + BLOCK_TOKENS, 0),
      // By length only: it is mostly English, and counted before the first request of every run.
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
