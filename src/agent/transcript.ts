import type {
  AssistantBlock,
  AssistantMessage,
  Message,
  ToolResultBlock,
  UserBlock,
  UserMessage,
} from '../contract/message.js';
import { uniqueCallId } from './call-id.js';

/**
 * The conversation. Messages are never changed, so that the provider's prompt cache stays valid; only making
 * room replaces messages, many at once.
 * Every request is repaired, in case a crash, an interrupt or a damaged file left the history invalid:
 * each call is answered exactly once, in the message that follows it, in the order of the calls, results first.
 */
export class Transcript {
  #messages: Message[] = [];
  /** The repaired form of the first `#settled` messages. Valid messages are in it as the same objects. */
  #repaired: Message[] = [];
  readonly #callIds = new Set<string>();
  #settled = 0;
  readonly #listeners: Array<(message: Message) => void> = [];

  get messages(): readonly Message[] {
    return this.#messages;
  }

  append(message: Message): void {
    this.#messages.push(message);
    for (const listener of this.#listeners) listener(message);
  }

  /** Called with each message that is appended from now on. */
  listen(listener: (message: Message) => void): void {
    this.#listeners.push(listener);
  }

  /** Replaces all messages. Valid messages that were already in the conversation stay the same objects. */
  replace(messages: readonly Message[]): void {
    this.#messages = [...messages];
    this.#repaired = [];
    this.#callIds.clear();
    this.#settled = 0;
  }

  /** The messages in a form that is valid for any provider. Processes only messages appended since the last time. */
  forRequest(): readonly Message[] {
    for (let message = this.#messages[this.#settled]; message; message = this.#messages[this.#settled]) {
      const isFirst = this.#repaired.length === 0;
      if (message.role === 'user') this.#settle(1, withoutResults(message));
      else if (isFirst)
        this.#settle(1); // a conversation begins with a user message
      else {
        const { asked, calls } = this.#withUniqueIds(message);
        const next = this.#messages[this.#settled + 1];
        const found = next?.role === 'user' ? next : undefined;
        if (calls.length === 0) this.#settle(1, asked);
        else if (next === undefined)
          return [...this.#repaired, ...[asked, answerTo(calls, found)].flatMap(withoutEmptyText)];
        else {
          for (const { id } of calls) this.#callIds.add(id);
          this.#settle(found ? 2 : 1, asked, answerTo(calls, found));
        }
      }
    }
    return this.#repaired;
  }

  #settle(count: number, ...repaired: Message[]): void {
    this.#settled += count;
    this.#repaired.push(...repaired.flatMap(withoutEmptyText));
  }

  /** Replaces ids that a provider would reject; `calls` has the original ids, which the results have. */
  #withUniqueIds(message: AssistantMessage): { asked: AssistantMessage; calls: AskedCall[] } {
    const calls: AskedCall[] = [];
    const taken = new Set<string>();
    const numbers = new Map<string, number>(); // empty each time, so that a message gets the same ids whenever it is sent
    const isTaken = (id: string) => this.#callIds.has(id) || taken.has(id);
    const content = message.content.map((block): AssistantBlock => {
      if (block.type !== 'tool_use') return block;
      const id = uniqueCallId(block.id, isTaken, numbers);
      taken.add(id);
      calls.push({ id, filedUnder: block.id });
      return id === block.id ? block : { ...block, id };
    });
    const changed = calls.some(({ id, filedUnder }) => id !== filedUnder);
    return { asked: changed ? { role: 'assistant', content } : message, calls };
  }
}

interface AskedCall {
  id: string;
  filedUnder: string;
}

/** The user message that answers the calls: results first and in order, then all other blocks. */
function answerTo(calls: readonly AskedCall[], found: UserMessage | undefined): UserMessage {
  const filed = new Map<string, ToolResultBlock[]>();
  const rest: UserBlock[] = [];
  for (const block of found?.content ?? []) {
    if (block.type !== 'tool_result') rest.push(block);
    else filed.set(block.tool_use_id, [...(filed.get(block.tool_use_id) ?? []), block]);
  }
  const results = calls.map(({ id, filedUnder }): ToolResultBlock => {
    const result = filed.get(filedUnder)?.shift();
    if (!result) return { type: 'tool_result', tool_use_id: id, content: LOST_RESULT, is_error: true };
    return result.tool_use_id === id ? result : { ...result, tool_use_id: id };
  });
  const content = [...results, ...rest];
  const unchanged =
    found && content.length === found.content.length && content.every((block, index) => block === found.content[index]);
  return unchanged ? found : { role: 'user', content };
}

const LOST_RESULT =
  'The call was interrupted and its result is lost; it may or may not have taken effect. Check before you repeat it.';

/** Providers refuse texts that are empty or blank, and empty messages. */
function withoutEmptyText(message: Message): Message[] {
  const content = message.content.filter((block) => block.type !== 'text' || /\S/.test(block.text));
  if (content.length === 0) return [];
  // The filter removes only texts, so the content still fits the role.
  return [content.length === message.content.length ? message : ({ ...message, content } as Message)];
}

function withoutResults(message: UserMessage): UserMessage {
  if (!message.content.some((block) => block.type === 'tool_result')) return message;
  return { role: 'user', content: message.content.filter((block) => block.type !== 'tool_result') };
}
