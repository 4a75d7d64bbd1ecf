const FEED = 10;
const RETURN = 13;

/** Which differences between the sought text and the file are ignored. */
export type Alike = 'nothing' | 'endings' | 'endings and quotes';

export interface TextRange {
  start: number;
  end: number;
}

export interface Occurrences {
  /** In order, without overlaps; at most as many as requested. */
  matches: TextRange[];
  hasMore: boolean;
  /** It occurs at a position that overlaps another, as "aa" does in "aaa". */
  overlaps: boolean;
}

/**
 * Finds all occurrences of a text in linear time (Knuth-Morris-Pratt), where `indexOf` may take time proportional to
 * the product of the lengths. If endings are ignored, \r\n, \r and \n each count as one character and are never split.
 */
export function searchText(text: string, sought: string, alike: Alike, limit: number): Occurrences {
  const result: Occurrences = { matches: [], hasMore: false, overlaps: false };
  if (isPlain(text, sought, alike)) return searchPlain(text, sought, limit, result);
  const needle = codesOf(sought, alike);
  if (needle.length === 0) return result;
  const fallback = fallbacksOf(needle);
  let matched = 0; // how much of the needle the last characters match
  let count = 0; // characters so far, with \r\n as one if endings are ignored
  let taken = 0; // characters up to the end of the last match
  for (let at = 0; at < text.length; ) {
    const code = codeAt(text, at, alike);
    at += widthAt(text, at, alike);
    count += 1;
    while (matched > 0 && needle[matched] !== code) matched = fallback[matched - 1] ?? 0;
    if (needle[matched] === code) matched += 1;
    if (matched < needle.length) continue;
    matched = fallback[matched - 1] ?? 0;
    if (count - needle.length < taken) {
      result.overlaps = true;
      continue;
    }
    if (result.matches.length === limit) return { ...result, hasMore: true };
    result.matches.push({ start: back(text, at, needle.length, alike), end: at });
    taken = count;
  }
  return result;
}

const MAX_PLAIN_CHARS = 256; // up to here quadratic time does not matter, and `indexOf` is many times faster

/** Whether the text can only match literally. */
function isPlain(text: string, sought: string, alike: Alike): boolean {
  if (sought === '' || sought.length > MAX_PLAIN_CHARS || alike === 'endings and quotes') return false;
  if (alike === 'nothing') return true;
  return !sought.includes('\r') && !(sought.includes('\n') && text.includes('\r'));
}

function searchPlain(text: string, sought: string, limit: number, result: Occurrences): Occurrences {
  let taken = 0;
  for (let at = text.indexOf(sought); at !== -1; at = text.indexOf(sought, at + 1)) {
    if (at < taken) {
      result.overlaps = true;
      continue;
    }
    if (result.matches.length === limit) return { ...result, hasMore: true };
    taken = at + sought.length;
    result.matches.push({ start: at, end: taken });
  }
  return result;
}

/** The offset some characters further on, with \r\n as one. */
export function forward(text: string, offset: number, characters: number): number {
  let at = offset;
  for (let count = 0; count < characters; count += 1) at += widthAt(text, at, 'endings');
  return at;
}

/** The offset some characters before. */
export function back(text: string, offset: number, characters: number, alike: Alike): number {
  if (alike === 'nothing') return offset - characters;
  let at = offset;
  for (let count = 0; count < characters; count += 1) {
    at -= text.charCodeAt(at - 1) === FEED && text.charCodeAt(at - 2) === RETURN ? 2 : 1;
  }
  return at;
}

/** One character for one, so that offsets stay valid. */
export const foldQuotes = (text: string): string => text.replace(/[‘’′]/g, "'").replace(/[“”″]/g, '"');

function codesOf(text: string, alike: Alike): Uint16Array {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += widthAt(text, at, alike)) {
    codes[length] = codeAt(text, at, alike);
    length += 1;
  }
  return codes.subarray(0, length);
}

function widthAt(text: string, at: number, alike: Alike): number {
  if (alike === 'nothing') return 1;
  return text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === FEED ? 2 : 1;
}

function codeAt(text: string, at: number, alike: Alike): number {
  const code = text.charCodeAt(at);
  if (alike === 'nothing') return code;
  if (code === RETURN) return FEED;
  return alike === 'endings and quotes' && code >= 0x2018 ? straightQuote(code) : code;
}

function straightQuote(code: number): number {
  if (code === 0x2018 || code === 0x2019 || code === 0x2032) return 0x27;
  if (code === 0x201c || code === 0x201d || code === 0x2033) return 0x22;
  return code;
}

/** The KMP failure function: for each prefix, the length of its longest proper prefix that is also a suffix. */
export function fallbacksOf(needle: Uint16Array | Uint32Array): Uint32Array {
  const fallback = new Uint32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (matched > 0 && needle[matched] !== needle[at]) matched = fallback[matched - 1] ?? 0;
    if (needle[matched] === needle[at]) matched += 1;
    fallback[at] = matched;
  }
  return fallback;
}
