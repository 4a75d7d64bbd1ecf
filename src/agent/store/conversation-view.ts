import type { ContentBlock, ImageBlock, Message, ToolResultBlock } from '../../contract/message.js';
import { safeCut } from '../../platform/text/truncate.js';
import { isInterruption } from '../interruption.js';

/** A conversation for display: each call together with its result. */
export type ViewEntry =
  | { type: 'prompt' | 'answer' | 'thinking'; text: string }
  | { type: 'image'; image: ImageBlock }
  /** A block in a provider's own format. */
  | { type: 'other'; text: string }
  | { type: 'call'; tool: string; input: unknown; result: ViewedResult | undefined };

export interface ViewedResult {
  text: string;
  images: readonly ImageBlock[];
  isError: boolean;
}

/** Whether a text of a message is by the person or the model: Helve's own words to the model are not. */
export const isPersonText = (text: string): boolean =>
  text.trim() !== '' &&
  !/^<(?:system-reminder|user-command)>|^\[(?:Your answer|The connection broke|The answer has to)\b/.test(text);

export function* viewConversation(messages: readonly Message[]): Generator<ViewEntry, void, void> {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'user') {
      for (const block of message.content) {
        if (block.type === 'text') yield { type: isInterruption(block) ? 'other' : 'prompt', text: block.text };
        if (block.type === 'image') yield { type: 'image', image: block };
      }
      continue;
    }
    const results = new Map<string, ToolResultBlock>();
    for (const block of messages[index + 1]?.content ?? []) {
      if (block.type === 'tool_result') results.set(block.tool_use_id, block);
    }
    for (const block of message.content) {
      if (block.type === 'text') yield { type: 'answer', text: block.text };
      else if (block.type === 'thinking') yield { type: 'thinking', text: block.thinking };
      else if (block.type === 'opaque') yield { type: 'other', text: `[a block of ${block.provider}]` };
      else yield { type: 'call', tool: block.name, input: block.input, result: viewed(results.get(block.id)) };
    }
  }
}

function viewed(result: ToolResultBlock | undefined): ViewedResult | undefined {
  if (!result) return undefined;
  const blocks: readonly ContentBlock[] =
    typeof result.content === 'string' ? [{ type: 'text', text: result.content }] : result.content;
  return {
    text: blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n'),
    images: blocks.filter((block) => block.type === 'image'),
    isError: result.is_error === true,
  };
}

/** One line that describes the input of a call, usually the beginning of its first field. Redacted before it is cut. */
export function inputLine(input: unknown, clean: (text: string) => string, max = 100): string {
  const fields = typeof input === 'object' && input !== null ? Object.entries(input) : [];
  const [name, first] = fields.find(([, field]) => typeof field === 'string' && field.trim() !== '') ?? [];
  // Includes the name, which may indicate that the value is secret.
  const named = `${name}: `;
  const text =
    typeof first === 'string' ? clean(named + first).slice(named.length) : clean(JSON.stringify(input) ?? '');
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length <= max ? line : `${line.slice(0, safeCut(line, max - 1))}…`;
}
