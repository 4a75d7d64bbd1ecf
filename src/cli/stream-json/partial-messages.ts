// The response in progress, in the format of Anthropic's raw stream events, for any provider.
import type { AssistantBlock } from '../../contract/message.js';
import type { ModelEvent } from '../../contract/model.js';

type Raw = Readonly<Record<string, unknown>>;

type OpenBlock = { kind: 'text' | 'thinking'; index: number } | undefined;

/** Translates a model's events to raw events. One instance per request. */
export class PartialMessages {
  #open: OpenBlock;
  #next = 0;
  /** The indexes of calls, by the model's own: other blocks may come between them. */
  readonly #calls = new Map<number, number>();

  events(event: ModelEvent): Raw[] {
    switch (event.type) {
      case 'message_start':
        this.#begin();
        return [{ type: 'message_start', message: emptyMessage(event) }];
      case 'text_delta':
        return event.text === '' ? [] : this.#delta('text', { type: 'text_delta', text: event.text });
      case 'thinking_delta':
        return this.#delta('thinking', { type: 'thinking_delta', thinking: event.text });
      case 'block':
        return this.#block(event.block);
      case 'call_start': {
        const index = this.#next++;
        this.#calls.set(event.index, index);
        const block = { type: 'tool_use', id: event.id, name: event.name, input: {} };
        return [...this.#close(), { type: 'content_block_start', index, content_block: block }];
      }
      case 'call_input': {
        const delta = { type: 'input_json_delta', partial_json: event.json };
        return [{ type: 'content_block_delta', index: this.#calls.get(event.index), delta }];
      }
      case 'call_end':
        return [{ type: 'content_block_stop', index: this.#calls.get(event.index) }];
      case 'message_end': {
        const delta = { stop_reason: event.stopReason, stop_sequence: null };
        return [...this.#close(), { type: 'message_delta', delta, usage: event.usage }, { type: 'message_stop' }];
      }
      case 'notice':
      case 'text_calls':
        return []; // events of the run say so
      // A message_start follows, which tells hosts to discard what came before.
      case 'restart':
      case 'retry':
        this.#begin();
        return [];
    }
  }

  #begin(): void {
    this.#open = undefined;
    this.#next = 0;
    this.#calls.clear();
  }

  #delta(kind: 'text' | 'thinking', delta: Raw): Raw[] {
    const before = this.#open?.kind === kind ? [] : [...this.#close(), this.#start(kind)];
    return [...before, { type: 'content_block_delta', index: this.#open?.index, delta }];
  }

  #start(kind: 'text' | 'thinking'): Raw {
    const index = this.#next++;
    this.#open = { kind, index };
    const block = kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '', signature: '' };
    return { type: 'content_block_start', index, content_block: block };
  }

  #close(): Raw[] {
    const open = this.#open;
    this.#open = undefined;
    return open ? [{ type: 'content_block_stop', index: open.index }] : [];
  }

  /** A complete block: if it was streamed it is closed, otherwise it is sent whole. */
  #block(block: Exclude<AssistantBlock, { type: 'tool_use' }>): Raw[] {
    if (block.type === 'opaque') {
      const index = this.#next++;
      const start = { type: 'content_block_start', index, content_block: block.value };
      return [...this.#close(), start, { type: 'content_block_stop', index }];
    }
    const { type: kind } = block;
    const whole = kind === 'text' ? { type: 'text_delta', text: block.text } : thinkingDelta(block.thinking);
    const body = this.#open?.kind === kind ? [] : this.#delta(kind, whole);
    if (kind === 'thinking' && block.signature !== '') {
      const delta = { type: 'signature_delta', signature: block.signature };
      body.push({ type: 'content_block_delta', index: this.#open?.index, delta });
    }
    return [...body, ...this.#close()];
  }
}

const thinkingDelta = (thinking: string) => ({ type: 'thinking_delta', thinking });

const emptyMessage = ({ id, model }: { id: string; model: string }): Raw => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
});
