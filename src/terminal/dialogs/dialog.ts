import type { Component, Focusable } from '@earendil-works/pi-tui';
import { decodeKittyPrintable, visibleWidth } from '@earendil-works/pi-tui';
import type { Role, Theme } from '../screen/theme.js';
import { cleanLine, cut } from '../views/fit.js';

/**
 * A question on the screen. It answers once, through the callback that it was created with, and does not know what
 * follows.
 */
export interface Dialog extends Component, Focusable {
  handleInput(data: string): void;
  /** The keys that work at the moment, in a few words. */
  readonly hint: string;
  /** Whether keys currently write into a text field, so that several at once are text and not an answer. */
  readonly takesText: boolean;
  /** The user has opened it, and no work waits for it: a question is shown before it. */
  readonly givesWay?: boolean;
}

/** The colour of a dialog's border: of a usual question, of a dangerous call, of a plan. */
export type Tone = Extract<Role, 'warning' | 'failure' | 'plan'>;

/** The first line of a dialog. */
export function titleLine(theme: Theme, title: string, width: number, tone: Tone = 'warning'): string {
  const { paint } = theme;
  const text = cut(cleanLine(title), Math.max(1, width - 6));
  const rest = Math.max(0, width - visibleWidth(text) - 4);
  return cut(`${paint[tone]('──')} ${paint.strong(text)} ${paint[tone]('─'.repeat(rest))}`, width);
}

/** The character that a key types, or undefined if it types none. */
export function typedCharacter(data: string): string | undefined {
  const decoded = decodeKittyPrintable(data) ?? data;
  const [character] = decoded;
  if (character === undefined || character.length !== decoded.length) return undefined;
  return character >= ' ' && character !== '\u007f' && !(character >= '\u0080' && character <= '\u009f')
    ? character
    : undefined;
}
