/**
 * The text with characters that could move the cursor, recolour the screen or turn the reading direction shown as what
 * they are, so that what a person sees is what is there. Line breaks and tabs stay.
 */
export function visible(text: string): string {
  let clean = '';
  let from = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (!isInvisibleControl(code)) continue;
    clean += `${text.slice(from, index)}\\u${code.toString(16).padStart(4, '0')}`;
    from = index + 1;
  }
  return from === 0 ? text : clean + text.slice(from);
}

function isInvisibleControl(code: number): boolean {
  if (code < 0x20) return code !== 0x0a && code !== 0x09;
  if (code >= 0x7f && code <= 0x9f) return true;
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/**
 * As `visible`, and with everything else that the eye does not see: characters without width, marks that turn the
 * direction, hidden tags. What joins emoji and letters of scripts that need it stays where it does so.
 */
export function fullyVisible(text: string): string {
  const clean = visible(text);
  if (!/[\u{80}-\u{10ffff}]/u.test(clean)) return clean;
  return clean.replace(unseen, (character, index: number) =>
    isNeeded(character, clean, index) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

// Of `Cf` and the separators of lines all; fillers that are drawn as nothing; selectors of variants; halves of characters.
const unseen =
  /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** A joiner between two characters that are not ASCII, and one selector behind the character that it is about. */
function isNeeded(character: string, text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  if (character === '\u200c' || character === '\u200d') return isJoined(before) && isJoined(text.charCodeAt(index + 1));
  if (character < '\ufe00' || character > '\ufe0f') return false;
  const isKeycap = text.charCodeAt(index + 1) === 0x20e3;
  return isKeycap || (before > 0x7f && !(before >= 0xfe00 && before <= 0xfe0f));
}

/** Not ASCII, and no joiner itself: a row of them says something that nobody sees. */
const isJoined = (code: number): boolean => code > 0x7f && !(code >= 0x200b && code <= 0x200f);
