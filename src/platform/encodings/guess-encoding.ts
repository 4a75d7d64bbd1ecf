import { isAscii } from 'node:buffer';
import { createRequire } from 'node:module';
import { decodeLegacy, encodeLegacy, type LegacyEncoding } from './legacy-encodings.js';

const CONTEXT_BYTES = 256; // of the line before, which may be very long
const SAMPLE_BYTES = 16_384; // around the first bytes that are not ASCII; more of them add nothing
const MIN_SCORE = 0.25; // below it the text reads as noise
const MIN_SCORE_OF_COMMONEST = 0; // punctuation alone is weak evidence for any encoding, and then this one is most likely
const ENOUGH_CHARACTERS = 10; // multi-byte characters, all valid: no coincidence any more
const STATISTICS_WEIGHT = { narrow: 0.2, wide: 0.5 }; // weight of letter frequencies; for single-byte encodings they are often wrong

export interface EncodingGuess {
  encoding: LegacyEncoding;
  sure: boolean;
}

/**
 * Possible encodings of bytes that are not UTF-8, most likely first; none if they are not text, or are UTF-8 with
 * errors. A guess scores how the bytes read in each encoding: letters among letters of their script, capitals at the
 * start of words, quotes on the right side. Multi-byte encodings can be certain, single-byte ones never are.
 */
export function guessEncodings(bytes: Buffer): EncodingGuess[] {
  const sample = sampleOf(bytes);
  if (hasNoText(sample) || isBrokenUtf8(sample)) return [];
  const statistics = frequencies(sample);
  const hasControls = sample.some((byte) => byte >= 0x80 && byte <= 0x9f);
  const read = profiles()
    .filter(({ encoding }) => !(hasControls && encoding.startsWith('iso-')))
    .map((profile) => {
      const text = decodeLegacy(sample, profile.encoding);
      const { score, characters } = text.slice(0, -2).includes('\ufffd') ? noise : profile.read(text);
      const byFrequency = STATISTICS_WEIGHT[profile.wide ? 'wide' : 'narrow'] * (statistics.get(profile.encoding) ?? 0);
      return {
        encoding: profile.encoding,
        text,
        characters,
        wide: profile.wide,
        score: score + byFrequency,
        plain: score,
      };
    })
    .filter(({ plain, encoding }) => plain >= (encoding === 'windows-1252' ? MIN_SCORE_OF_COMMONEST : MIN_SCORE))
    .toSorted((first, second) => second.score - first.score);
  const [best] = read;
  const rival = read.find(({ text }) => text !== best?.text);
  return read.map(({ encoding, wide, characters, score, text }) => ({
    encoding,
    sure: wide && characters >= ENOUGH_CHARACTERS && text === best?.text && score - (rival?.score ?? 0) >= 0.3,
  }));
}

const noise = { score: Number.NEGATIVE_INFINITY, characters: 0 };

/** From the start of the line before the first byte that is not ASCII, so that no character is cut at its beginning. */
function sampleOf(bytes: Buffer): Buffer {
  let first = 0;
  while (first < bytes.length && isAscii(bytes.subarray(first, first + SAMPLE_BYTES / 2))) first += SAMPLE_BYTES / 2;
  const start = Math.max(bytes.lastIndexOf(0x0a, first) + 1, first - CONTEXT_BYTES, 0);
  return bytes.subarray(start, start + SAMPLE_BYTES);
}

/** NULs, or more control characters than a text has. */
function hasNoText(sample: Buffer): boolean {
  let controls = 0;
  for (const byte of sample) {
    if (byte === 0) return true;
    if (byte < 0x09 || (byte > 0x0d && byte < 0x1a) || (byte > 0x1b && byte < 0x20) || byte === 0x7f) controls += 1;
  }
  return controls > sample.length / 50;
}

/** Valid UTF-8 sequences are rare in other encodings: if they far outnumber the invalid ones, those are errors. */
function isBrokenUtf8(sample: Buffer): boolean {
  const text = sample.toString('utf8');
  let valid = 0;
  let invalid = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 0xfffd) invalid += 1;
    else if (code >= 0x80) valid += 1;
  }
  return valid >= 3 * invalid;
}

/** How common the characters and their pairs are in the languages of each encoding, from 0 to 1. */
function frequencies(sample: Buffer): Map<LegacyEncoding, number> {
  const require = createRequire(import.meta.url);
  const chardet: typeof import('chardet') = require('chardet');
  const found = new Map<LegacyEncoding, number>();
  for (const { name, confidence } of chardet.analyse(sample)) {
    const [encoding, other] = chardetNames.get(name) ?? [];
    if (encoding) found.set(encoding, confidence / 100);
    if (other) found.set(other, confidence / 100);
  }
  return found;
}

const chardetNames = new Map<string, readonly LegacyEncoding[]>([
  ['Shift_JIS', ['shift_jis']],
  ['EUC-JP', ['euc-jp']],
  ['EUC-KR', ['euc-kr']],
  ['Big5', ['big5']],
  ['GB18030', ['gbk', 'gb18030']],
  ['KOI8-R', ['koi8-r', 'koi8-u']],
  ['ISO-8859-1', ['windows-1252']],
  ['ISO-8859-2', ['iso-8859-2']],
  ['ISO-8859-5', ['iso-8859-5']],
  ['ISO-8859-6', ['iso-8859-6']],
  ['ISO-8859-7', ['windows-1253', 'iso-8859-7']],
  ['ISO-8859-8', ['windows-1255']],
  ['ISO-8859-9', ['windows-1254']],
  ['windows-1250', ['windows-1250']],
  ['windows-1251', ['windows-1251']],
  ['windows-1252', ['windows-1252']],
  ['windows-1253', ['windows-1253', 'iso-8859-7']],
  ['windows-1254', ['windows-1254']],
  ['windows-1255', ['windows-1255']],
  ['windows-1256', ['windows-1256']],
  ['windows-1257', ['windows-1257']],
]);

interface Profile {
  encoding: LegacyEncoding;
  /** A multi-byte encoding. */
  wide: boolean;
  /** The average score, from −2 to 1, over the characters that are not ASCII. */
  read(text: string): { score: number; characters: number };
}

const WESTERN = 'àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿßœšž';
const CENTRAL = 'áâăäąćčçďđéęěëíîłľĺńňóôőöřŕśšşťţúůűüýźžżß';
const BALTIC = 'āčēģīķļņōŗšūžąęėįųõäöüåæøéßó';
const TURKISH = 'âçğıîöşûüİßéäà';
const CYRILLIC = 'абвгдежзийклмнопрстуфхцчшщъыьэюяёєіїґўјљњћџђѓќѕ';
const GREEK = 'αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋΐΰ';
const HEBREW = 'אבגדהוזחטיךכלםמןנסעףפץצקרשת';
const ARABIC = 'ءآأؤإئابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژگکںھہے،؛؟ًٌٍَُِّْـ';

/** A penalty for encodings that are unlikely today, to break ties. */
const profiles = (): readonly Profile[] => [
  narrow('windows-1252', WESTERN, 0),
  narrow('windows-1250', CENTRAL, 0.03),
  narrow('iso-8859-2', CENTRAL, 0.12),
  narrow('windows-1251', CYRILLIC, 0.05),
  narrow('koi8-r', CYRILLIC, 0.06),
  narrow('koi8-u', CYRILLIC, 0.07),
  narrow('cp866', CYRILLIC, 0.08),
  narrow('iso-8859-5', CYRILLIC, 0.09),
  narrow('windows-1253', GREEK, 0.05),
  narrow('iso-8859-7', GREEK, 0.06),
  narrow('windows-1254', TURKISH, 0.01),
  narrow('windows-1255', HEBREW, 0.05),
  narrow('windows-1256', ARABIC, 0.05),
  narrow('iso-8859-6', ARABIC, 0.06),
  narrow('windows-1257', BALTIC, 0.06),
  narrow('cp437', WESTERN, 0.2),
  narrow('cp850', WESTERN, 0.21),
  narrow('cp852', CENTRAL, 0.22),
  wide('shift_jis', 0x88, 0x97),
  wide('euc-jp', 0xb0, 0xcf),
  wide('gbk', 0xb0, 0xd7),
  wide('gb18030', 0xb0, 0xd7),
  wide('big5', 0xa4, 0xc6),
  wide('euc-kr', 0xb0, 0xc8),
];

const isLetter = (character: string): boolean => /^[\p{L}\p{M}]$/u.test(character);
const isLower = (character: string): boolean => character !== character.toUpperCase();
const isUpper = (character: string): boolean => character !== character.toLowerCase();
const isFrame = (character: string): boolean => character >= '\u2500' && character <= '\u259f';

function narrow(encoding: LegacyEncoding, lowerCase: string, handicap: number): Profile {
  const letters = new Set([...lowerCase, ...lowerCase.toUpperCase(), ...lowerCase.toLowerCase()]);
  const isLatin = letters.has('é') || letters.has('ç') || letters.has('č');
  const valueAt = (text: string, index: number): number => {
    const character = text.charAt(index);
    const previous = text.charAt(index - 1);
    const next = text.charAt(index + 1);
    if (letters.has(character)) return letterValue(character, previous, next, isLatin);
    if (isFrame(character)) return isFrame(previous) || isFrame(next) ? (isLatin ? 1 : 0.8) : -0.5;
    if (isLetter(character)) return -1;
    return signValue(character, previous, next);
  };
  return {
    encoding,
    wide: false,
    read(text) {
      const { sum, count } = sumOver(text, valueAt);
      return { score: count === 0 ? -1 : sum / count - handicap, characters: count };
    },
  };
}

function letterValue(character: string, previous: string, next: string, isLatin: boolean): number {
  if (isLower(previous) && isUpper(character)) return -1; // a capital in the middle of a word
  if (isLower(character) && isUpper(next) && isLetter(next)) return -1;
  if (character === previous && character === next) return -1; // a line drawn with one repeated byte, not a word
  const beside = [previous, next].filter(isLetter);
  if (isLatin) {
    if (beside.length === 0) return 0.3;
    if (beside.some((letter) => letter > '\u024f')) return -1;
    const plain = beside.filter((letter) => letter < '\u0080').length;
    // Words rarely have several accented letters in a row.
    return plain === beside.length ? 1 : plain > 0 ? 0.8 : beside.length === 1 ? 0.2 : -0.3;
  }
  if (beside.length === 0) return 0.2;
  if (beside.some((letter) => letter < '\u0250')) return -0.5;
  return isUpper(character) && beside.some(isUpper) ? 0.5 : 1; // words in capitals are less common
}

/** Quotes face their words, and hardly any other punctuation appears inside a word. */
function signValue(character: string, previous: string, next: string): number {
  const [after, before] = [isLetter(previous), isLetter(next)];
  if (/[\u0080-\u009f\ue000-\uf8ff]/.test(character)) return -2;
  if (/[¿¡]/.test(character)) return after ? -1 : before ? 1 : 0.2;
  if (/[“‘„‚«‹]/.test(character)) return after ? -1 : before ? 0.9 : 0.4;
  if (/[”»›]/.test(character)) return before ? -1 : after ? 0.9 : 0.6;
  if (character === '’') return after ? 0.9 : 0.2;
  if (after && before) return /[–—·\u00ad\u00a0]/.test(character) ? 0.5 : -1;
  if (/[–—…•€£§©®™°±²³µ·«»×½¼¾ªº\u00a0№]/.test(character)) return 0.6;
  return after || before ? -0.6 : 0.1;
}

function wide(encoding: LegacyEncoding, firstCommon: number, lastCommon: number): Profile {
  return {
    encoding,
    wide: true,
    read(text) {
      const known = new Map<string, boolean>();
      const isCommon = (character: string): boolean => {
        const [lead = 0, trail = 0] = known.has(character) ? [] : encodeLegacy(character, encoding);
        const found =
          known.get(character) ??
          (lead >= firstCommon &&
            lead <= lastCommon &&
            (trail > 0xa0 || encoding === 'shift_jis' || encoding === 'big5'));
        known.set(character, found);
        return found;
      };
      const { sum, count } = sumOver(text, (whole, index) => wideValue(whole, index, isCommon));
      // Two bytes that are valid by chance form one character, so a few of them are weak evidence.
      return { score: count === 0 ? -1 : sum / count - 0.5 / count, characters: count };
    },
  };
}

function wideValue(text: string, index: number, isCommon: (character: string) => boolean): number {
  const character = text.charAt(index);
  const previous = text.charAt(index - 1);
  const next = text.charAt(index + 1);
  if (/[\uff61-\uff9f]/.test(character)) return -0.6; // half-width kana: single bytes above ASCII
  if (/[\u3000-\u3011\uff01-\uff5e]/.test(character)) return 1;
  // A single one among Latin letters is more likely two accented letters.
  if (previous < '\u0250' && next < '\u0250' && (/[a-z]/i.test(previous) || /[a-z]/i.test(next))) return -1.5;
  if (/[\u3041-\u30ff]/.test(character)) return 1;
  if (/[\uac00-\ud7a3]/.test(character)) return isCommon(character) ? 1 : -0.3;
  if (/[\u4e00-\u9fff]/.test(character)) return isCommon(character) ? 0.9 : -0.1;
  return /[\ue000-\uf8ff\ud800-\udfff]/.test(character) ? -1 : -0.2;
}

function sumOver(text: string, value: (text: string, index: number) => number): { sum: number; count: number } {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text.charCodeAt(index) < 0x80) continue;
    sum += value(text, index);
    count += 1;
  }
  return { sum, count };
}
