import type { Occurrence } from './occurrence.js';

const CONTEXT_CHARS = 8; // on either side; enough to distinguish places

// Directional marks, embeddings, overrides and isolates: they make a line look different from what it runs.
const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

// A run of the same character is one candidate. It is bounded, since a match of millions overflows the engine's stack.
const CANDIDATE =
  /([\ufe00-\ufe0f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}])\1{0,4095}/gu;

// A regional flag: a black flag, two country letters and up to three region letters as tags, and the closing tag.
const REGION_FLAG = /^\u{1f3f4}[\u{e0061}-\u{e007a}]{2}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,3}\u{e007f}/u;

// Scripts in which the joiner and the non-joiner change the shape of letters.
const JOINING_SCRIPT =
  /^[\p{scx=Arab}\p{scx=Syrc}\p{scx=Mand}\p{scx=Mong}\p{scx=Nkoo}\p{scx=Phag}\p{scx=Adlm}\p{scx=Rohg}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Khmr}\p{scx=Mymr}\p{scx=Tibt}\p{scx=Thai}\p{scx=Laoo}\p{scx=Java}\p{scx=Bali}\p{scx=Newa}\p{scx=Tirh}]$/u;
const JOINS_BEFORE = /^(?:\ufe0f|\u{e007f}|\p{Extended_Pictographic}|\p{Emoji_Modifier})$/u;
const JOINS_AFTER = /^\p{Extended_Pictographic}$/u;
const VARIES = /^[\p{Emoji}\p{S}\p{N}\p{P}\p{Lo}]$/u;
const IDEOGRAPH = /^\p{Unified_Ideograph}$/u;

/** Invisible characters that change the meaning of text, except for those that emoji and scripts need. */
export function findHiddenCharacters(text: string): Occurrence[] {
  const found: Occurrence[] = [];
  let flagEnd = 0;
  for (const { 0: run, 1: character = '', index: at } of text.matchAll(CANDIDATE)) {
    if (at < flagEnd) continue;
    flagEnd = endOfFlag(text, at);
    if (at < flagEnd || (run === character && isWritten(text, at, character))) continue;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    const kind = BIDIRECTIONAL.test(character) ? 'bidirectional control' : 'invisible character';
    found.push({ at, kind: `${kind} U+${code}`, text: around(text, at, run) });
  }
  return found;
}

/** The run with its neighbours in the line. */
function around(text: string, at: number, run: string): string {
  const end = at + run.length;
  const left =
    text
      .slice(Math.max(at - CONTEXT_CHARS, 0), at)
      .split(/[\r\n]/)
      .at(-1) ?? '';
  const [right = ''] = text.slice(end, end + CONTEXT_CHARS).split(/[\r\n]/, 1);
  return left + run + right;
}

/** The end of the flag whose first tag is here; the offset itself if there is no flag. */
function endOfFlag(text: string, at: number): number {
  const start = at - 2; // the black flag takes two units, as each tag does
  const flag = start < 0 ? undefined : REGION_FLAG.exec(text.slice(start, at + 12))?.[0];
  return flag ? start + flag.length : at;
}

/** Whether a script or an emoji needs the character here. */
function isWritten(text: string, at: number, character: string): boolean {
  const previous = before(text, at);
  const next = String.fromCodePoint(text.codePointAt(at + character.length) ?? 0);
  switch (true) {
    case character === '\ufeff':
      return at === 0;
    case character === '\u200d' && JOINS_BEFORE.test(previous) && JOINS_AFTER.test(next):
      return true;
    case character === '\u200c' || character === '\u200d':
      return JOINING_SCRIPT.test(previous) || JOINING_SCRIPT.test(next);
    case character >= '\ufe00' && character <= '\ufe0f':
      return VARIES.test(previous);
    case isIdeographicVariant(character):
      return IDEOGRAPH.test(previous);
    default:
      return false;
  }
}

const isIdeographicVariant = (character: string): boolean => /^[\u{e0100}-\u{e01ef}]$/u.test(character);

/** The character that ends at this offset. */
function before(text: string, at: number): string {
  const unit = text.charCodeAt(at - 1);
  const isLow = unit >= 0xdc00 && unit <= 0xdfff;
  return text.slice(Math.max(at - (isLow ? 2 : 1), 0), at);
}
