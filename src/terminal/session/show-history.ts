import type { Component } from '@earendil-works/pi-tui';
import { INTERRUPTED, isInterruption } from '../../agent/interruption.js';
import type { Message, ToolResultBlock } from '../../contract/message.js';
import type { Tool, ToolDisplay } from '../../contract/tool.js';
import type { Theme } from '../screen/theme.js';
import { CallView } from '../views/call-view.js';
import { MarkdownView } from '../views/markdown-view.js';
import { NoticeView } from '../views/notice-view.js';
import { PromptView } from '../views/prompt-view.js';

const SHOWN_MESSAGES = 20; // the rest is in the session's file

/** The last messages of a resumed conversation as views, each with whether an empty line precedes it. */
export async function historyViews(
  messages: readonly Message[],
  { theme, findTool }: { theme: Theme; findTool(name: string): Tool | undefined },
): Promise<Array<{ view: Component; hasGap: boolean }>> {
  const shown = messages.slice(-SHOWN_MESSAGES);
  const results = new Map<string, ToolResultBlock>();
  for (const { content } of shown) {
    for (const block of content) if (block.type === 'tool_result') results.set(block.tool_use_id, block);
  }
  const views: Array<{ view: Component; hasGap: boolean }> = [];
  const left = messages.length - shown.length;
  if (left > 0) {
    views.push({ view: new NoticeView(theme, 'info', `${left} earlier messages are not shown.`), hasGap: true });
  }
  for (const { role, content } of shown) {
    for (const block of content) {
      if (block.type === 'text' && isUserText(block.text)) {
        const view =
          role === 'assistant'
            ? new MarkdownView(theme, block.text)
            : isInterruption(block)
              ? new NoticeView(theme, 'warning', block.text === INTERRUPTED ? 'Interrupted.' : block.text)
              : new PromptView(theme, block.text);
        views.push({ view, hasGap: true });
      } else if (block.type === 'tool_use') {
        const display = await displayOf(findTool(block.name), block.name, block.input);
        views.push({ view: pastCall(theme, block.name, display, results.get(block.id)), hasGap: false });
      }
    }
  }
  return views;
}

/** Excludes Helve's own reminders to the model. */
const isUserText = (text: string): boolean => text.trim() !== '' && !/^<(?:system-reminder|user-command)>/.test(text);

async function displayOf(tool: Tool | undefined, name: string, input: unknown): Promise<ToolDisplay> {
  await tool?.load().catch(() => {}); // if its code can't be loaded, it is shown by its name
  try {
    return tool?.displayCall(input) ?? { title: name };
  } catch {
    return { title: name };
  }
}

function pastCall(theme: Theme, tool: string, display: ToolDisplay, result: ToolResultBlock | undefined): CallView {
  const view = new CallView(theme, { tool, now: () => 0 });
  view.showInput(display);
  // The session keeps only what the model got, which is not for the person.
  view.end({ display: { title: display.title }, failure: result?.is_error === true ? 'exception' : undefined });
  return view;
}
