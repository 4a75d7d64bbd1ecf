import type { TextBlock, ToolResultBlock } from '../contract/message.js';

/** The content with reminders after it, such as that a command in the background has ended. */
export function withReminders(
  content: ToolResultBlock['content'],
  reminders: readonly TextBlock[],
): ToolResultBlock['content'] {
  if (reminders.length === 0) return content;
  return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...reminders];
}
