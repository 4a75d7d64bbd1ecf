// Characters that look like others, or that are invisible.
const UNSEEN = /[\u00ad\u200b-\u200f\u2060\ufeff]/g;
const BLANKS = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const COMBINING = /\p{Mn}/gu;
const QUOTES = /[‘’′“”″]/g;

/** The text with all of them made plain, only for comparison. */
export function foldLookAlikes(text: string): string {
  if (isAscii(text)) return text;
  return text
    .normalize('NFC')
    .replace(UNSEEN, '')
    .replace(BLANKS, ' ')
    .replace(DASHES, '-')
    .replace(/[‘’′]/g, "'")
    .replace(/[“”″]/g, '"');
}

/** The look-alike characters in a text: "U+00A0, U+200B". */
export function lookAlikesIn(text: string): string {
  const found = [UNSEEN, BLANKS, DASHES, COMBINING, QUOTES].flatMap((kind) => text.match(kind) ?? []);
  return [...new Set(found)].map(codePoint).join(', ');
}

/** "U+200B". */
export const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant, its controls too
const isAscii = (text: string): boolean => /^[\x00-\x7f]*$/.test(text);
