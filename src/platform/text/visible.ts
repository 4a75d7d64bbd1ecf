/**
 * The text with control characters (cursor movement, colours, reading direction) shown as symbols, so that a person
 * sees what is really there. Newlines and tabs are kept.
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
 * Like `visible`, but also for everything else that is invisible: zero-width characters, bidirectional marks, tag
 * characters. Joiners of emoji, and of letters in scripts that need them, are kept in place.
 */
export function fullyVisible(text: string): string {
  const clean = visible(text);
  if (!/[\u{80}-\u{10ffff}]/u.test(clean)) return clean;
  return clean.replace(unseen, (character, index: number) =>
    isNeeded(character, clean, index) ? character : `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

// All of `Cf` and the line separators; blank fillers; variation selectors; lone surrogates.
const unseen =
  /[\p{Cf}\p{Zl}\p{Zp}\p{Cs}\u115f\u1160\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0f]|[\u{e0100}-\u{e01ef}]/gu;

/** A joiner between two non-ASCII characters, and one variation selector after its character. */
function isNeeded(character: string, text: string, index: number): boolean {
  const before = text.charCodeAt(index - 1);
  if (character === '\u200c' || character === '\u200d') return isJoined(before) && isJoined(text.charCodeAt(index + 1));
  if (character < '\ufe00' || character > '\ufe0f') return false;
  const isKeycap = text.charCodeAt(index + 1) === 0x20e3;
  return isKeycap || (before > 0x7f && !(before >= 0xfe00 && before <= 0xfe0f));
}

/** Not ASCII, and not a joiner itself: a run of joiners can encode a hidden message. */
const isJoined = (code: number): boolean => code > 0x7f && !(code >= 0x200b && code <= 0x200f);
