import type { AssistantBlock, Message, ToolResultBlock, UserBlock } from '../../../contract/message.js';
import type { ModelRequest, ToolDefinition } from '../../../contract/model.js';
import { objectInput, wireName } from '../call-in-history.js';
import { wellFormedJson } from '../well-formed-json.js';
import { writtenOnce } from '../written-once.js';

const FIRST_BYTES = 65_536; // of the body that grows with the conversation
const CACHE_MARK = ',"cache_control":{"type":"ephemeral"}';
const MARKED_USER_MESSAGES = 2; // with the last tool and the last system block, these are the four cache breakpoints that the API allows

/**
 * Writes request bodies, each in a few pieces. History only grows, so each message is serialised once, and everything
 * before the last marked messages is never copied again: old messages cost only their bytes on the wire, and those
 * bytes never change, which the provider's prompt cache requires.
 */
export function anthropicBodies(
  fields: Readonly<Record<string, unknown>>,
  serverTools: ReadonlyArray<Readonly<Record<string, unknown>>> = [],
): (request: ModelRequest) => Uint8Array[] {
  const beginning = wellFormedJson(fields).slice(0, -1);
  const messageTexts = new WeakMap<Message, string>();
  const textOf = (message: Message): string => writtenOnce(messageTexts, message, () => messageText(message));
  const lastTextOf = (message: Message): string => {
    const text = textOf(message);
    messageTexts.delete(message); // stored as bytes from here on
    return text;
  };
  const histories = new WeakMap<Message, History>(); // by the first message of each conversation
  const toolTexts = new WeakMap<readonly ToolDefinition[], string>();

  return ({ system, tools, messages }) => {
    const toolText = writtenOnce(toolTexts, tools, () =>
      markedList([
        ...serverTools.map((tool) => wellFormedJson(tool)),
        ...tools.map(({ name, description, input_schema }) => wellFormedJson({ name, description, input_schema })),
      ]),
    );
    const systemText = markedList(system.filter(hasWords).map((text) => wellFormedJson({ type: 'text', text })));
    const parts = [beginning];
    if (toolText) parts.push(`"tools":${toolText}`);
    if (systemText) parts.push(`"system":${systemText}`);
    parts.push('"messages":[');

    const settled = firstMarked(messages, textOf);
    const last = messages.slice(settled);
    const texts = last.map(textOf);
    markLastUserMessages(last, texts);
    const [first] = messages;
    if (first === undefined || settled === 0)
      return [Buffer.from(`${parts.join(',')}${texts.filter(Boolean).join(',')}]}`)];

    const known = histories.get(first);
    const history = known?.isPartOf(messages, settled) ? known : new History();
    histories.set(first, history);
    history.grow(messages, settled, lastTextOf);
    return [Buffer.from(parts.join(',')), history.bytes, Buffer.from(`${texts.filter(Boolean).join(',')}]}`)];
  };
}

/** The messages that get no more cache marks, each followed by a comma. */
class History {
  readonly #messages: Message[] = [];
  readonly #text = new GrowingBytes();

  get bytes(): Uint8Array {
    return this.#text.all;
  }

  /** Whether the first `count` messages start with these; false after a rewind, or on another branch. */
  isPartOf(messages: readonly Message[], count: number): boolean {
    return this.#messages.length <= count && this.#messages.every((message, at) => message === messages[at]);
  }

  grow(messages: readonly Message[], count: number, textOf: (message: Message) => string): void {
    for (const message of messages.slice(this.#messages.length, count)) {
      const text = textOf(message);
      if (text) this.#text.add(`${text},`);
      this.#messages.push(message);
    }
  }
}

/** The index of the first message with a cache mark: everything before it is the same in the next request. */
function firstMarked(messages: readonly Message[], textOf: (message: Message) => string): number {
  let left = MARKED_USER_MESSAGES;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message?.role === 'user' && textOf(message)) left--;
    if (left === 0) return at;
  }
  return 0;
}

/** The items as a JSON array whose last object is a cache breakpoint; empty if there are no items. */
function markedList(items: string[]): string {
  const last = items.pop();
  if (last === undefined) return '';
  return `[${[...items, `${last.slice(0, -1)}${CACHE_MARK}}`].join(',')}]`;
}

/**
 * Marks the last user message, so that the next request finds all of this one, and the one before it, so that this
 * request finds the last one even if more blocks were added than the provider looks back.
 */
function markLastUserMessages(messages: readonly Message[], texts: string[]): void {
  let left = MARKED_USER_MESSAGES;
  for (let at = texts.length - 1; at >= 0 && left > 0; at--) {
    const text = texts[at];
    if (!text || messages[at]?.role !== 'user') continue;
    texts[at] = `${text.slice(0, -'}]}'.length)}${CACHE_MARK}}]}`;
    left--;
  }
}

/** Empty if no block is left, because the API refuses such a message. */
function messageText({ role, content }: Message): string {
  const blocks = content.map(wireBlock).filter((block) => block !== undefined);
  while (isThinking(blocks.at(-1))) blocks.pop(); // left by a truncated response; the API refuses a message that ends with thinking
  return blocks.length === 0 ? '' : wellFormedJson({ role, content: blocks });
}

/** The block for the API, or undefined if it would make the API refuse the whole request. */
function wireBlock(block: AssistantBlock | UserBlock): Readonly<Record<string, unknown>> | undefined {
  switch (block.type) {
    case 'text':
      return hasWords(block.text) ? { type: 'text', text: block.text } : undefined;
    case 'image':
      return { type: 'image', source: block.source };
    // Without a signature the block was truncated, or comes from another provider. A signature from another server with
    // this format can't be distinguished from the provider's own.
    case 'thinking':
      if (block.signature === '') return undefined;
      return { type: 'thinking', thinking: block.thinking, signature: block.signature };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: wireName(block.name), input: objectInput(block.input) };
    case 'tool_result':
      return wireResult(block);
    case 'opaque':
      return block.provider === 'anthropic' && typeof block.value['type'] === 'string' ? block.value : undefined;
  }
}

const isThinking = (block: Readonly<Record<string, unknown>> | undefined): boolean =>
  block?.['type'] === 'thinking' || block?.['type'] === 'redacted_thinking';

function wireResult({ tool_use_id, content, is_error }: ToolResultBlock): Readonly<Record<string, unknown>> {
  return {
    type: 'tool_result',
    tool_use_id,
    content: typeof content === 'string' ? content : content.map(wireBlock).filter((block) => block !== undefined),
    ...(is_error && { is_error }),
  };
}

function hasWords(text: string): boolean {
  return /\S/.test(text);
}

/** UTF-8 text that only grows. Views returned earlier stay valid while more is added. */
class GrowingBytes {
  #bytes = Buffer.allocUnsafe(FIRST_BYTES);
  #length = 0;

  add(text: string): void {
    const needed = this.#length + Buffer.byteLength(text);
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger; // views of the old buffer stay valid
    }
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Everything so far. */
  get all(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }
}
