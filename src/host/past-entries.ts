// A conversation that was resumed, as entries: clients are shown all of it.
import { isInterruption } from '../agent/interruption.js';
import { isPersonText } from '../agent/store/conversation-view.js';
import type { ContentBlock, Message, ToolResultBlock, ToolUseBlock, UserBlock } from '../contract/message.js';
import type { Tool, ToolDisplay } from '../contract/tool.js';
import type { HostedConversation } from './hosted-conversation.js';
import type { FeedCall, FeedEntry } from './session-feed.js';

/** What the model has said. */
export interface SaidEntry {
  kind: 'text' | 'thought';
  id: string;
  text: string;
}

export type PastEntry = FeedCall | Extract<FeedEntry, { kind: 'prompt' }> | SaidEntry;
type Past = NonNullable<HostedConversation['past']>;
type FindTool = (name: string) => Tool | undefined;

export async function* pastEntries(past: Past, findTool: FindTool): AsyncGenerator<PastEntry, void, void> {
  for (const [index, message] of past.messages.entries()) {
    const id = `past-${index}`;
    if (message.role === 'user') {
      const content = message.content.filter(isOfPerson);
      if (content.length > 0) yield { kind: 'prompt', id, content };
      continue;
    }
    const results = resultsIn(past.messages[index + 1]);
    for (const [at, block] of message.content.entries()) {
      if (block.type === 'text' && isPersonText(block.text))
        yield { kind: 'text', id: `${id}.${at}`, text: block.text };
      else if (block.type === 'thinking' && block.thinking !== '') {
        yield { kind: 'thought', id: `${id}.${at}`, text: block.thinking };
      } else if (block.type === 'tool_use') {
        // A call that is open is shown when it is asked about again.
        if (past.openCalls?.calls.some((call) => call.id === block.id) && !results.has(block.id)) continue;
        yield await pastCall(block, results.get(block.id), past, findTool);
      }
    }
  }
}

const isOfPerson = (block: Message['content'][number]): block is UserBlock =>
  block.type === 'image' || (block.type === 'text' && isPersonText(block.text) && !isInterruption(block));

function resultsIn(message: Message | undefined): Map<string, ToolResultBlock> {
  const results = (message?.content ?? []).filter((block) => block.type === 'tool_result');
  return new Map(results.map((result) => [result.tool_use_id, result]));
}

async function pastCall(
  { id, name, input }: ToolUseBlock,
  result: ToolResultBlock | undefined,
  { displays, failures }: Past,
  findTool: FindTool,
): Promise<FeedCall> {
  const isFailed = result === undefined || result.is_error === true;
  const problem = failures.get(id)?.problem ?? (isFailed && result ? textOf(result.content) : undefined);
  const display = displays.get(id) ?? (await displayOf(findTool(name), name, input));
  return {
    kind: 'call',
    id,
    tool: name,
    input,
    status: isFailed ? 'failed' : 'completed',
    display,
    ...(problem !== undefined && { problem }),
  };
}

/** A display of a call says what it wants to do, not what it did, so its body is left out. */
async function displayOf(tool: Tool | undefined, name: string, input: unknown): Promise<ToolDisplay> {
  try {
    await tool?.load();
    const { title, looks, action } = tool?.displayCall(input) ?? { title: name };
    return { title, ...(looks && { looks }), ...(action !== undefined && { action }) };
  } catch {
    return { title: name }; // its code can't be loaded: it is shown by its name
  }
}

const textOf = (content: string | readonly ContentBlock[]): string =>
  typeof content === 'string'
    ? content
    : content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
