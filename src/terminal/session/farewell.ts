import { visible } from '../../platform/text/visible.js';
import type { OpenedSession } from './opened-session.js';

/** Printed below the conversation when the terminal ends; undefined if there is nothing to say. */
export function farewellText(
  opened: OpenedSession | undefined,
  { farewell, hasPrompts }: { farewell: string | undefined; hasPrompts: boolean },
): string | undefined {
  if (farewell !== undefined) return `\n${farewell}\n`;
  if (!opened?.agent || !hasPrompts) return undefined;
  return `\nTo resume this conversation: helve --resume ${opened.engine.session.id}\n`;
}

/** Names the work that ends with the terminal. */
export const endingLines = (opened: OpenedSession | undefined): string[] =>
  (opened?.engine.session.stillRunning ?? []).map((what) => `helve: ending ${visible(what)}\n`);
