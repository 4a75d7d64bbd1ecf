import type { TextBlock, ToolResultBlock } from '../contract/message.js';

/** Appends reminders to the content, such as that a background command has ended. */
export function withReminders(
  content: ToolResultBlock['content'],
  reminders: readonly TextBlock[],
): ToolResultBlock['content'] {
  if (reminders.length === 0) return content;
  return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...reminders];
}
