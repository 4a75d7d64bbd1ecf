import { withoutReminders } from './reminder.js';
import { safeCut } from './truncate.js';
import { visible } from './visible.js';

/** A server's text without invisible characters or anything that could pass for Helve's own words, cut to a length. */
export function plainText(text: string, maxChars: number): string {
  const shown = withoutReminders(visible(text)).replaceAll(
    /[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
  return shown.length <= maxChars ? shown : `${shown.slice(0, safeCut(shown, maxChars - 1))}…`;
}

/** The same on one line. */
export const plainLine = (text: string, maxChars: number): string =>
  plainText(text.trim().replaceAll(/\s+/g, ' '), maxChars);
