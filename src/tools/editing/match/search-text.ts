const FEED = 10;
const RETURN = 13;

/** Which differences between the text sought and the text there don't count. */
export type Alike = 'nothing' | 'endings' | 'endings and quotes';

export interface TextRange {
  start: number;
  end: number;
}

export interface SearchResult {
  /** From the top, none inside another; at most as many as were asked for. */
  matches: TextRange[];
  hasMore: boolean;
  /** It occurs in a place that overlaps another, as "aa" does in "aaa". */
  overlaps: boolean;
}

/**
 * Finds all places of a text, going through both once (Knuth, Morris and Pratt), where `indexOf` may take time that grows
 * with the product of their lengths. Where endings are alike, \r\n, \r and \n are each one character and never cut in two.
 */
export function searchText(text: string, sought: string, alike: Alike, limit: number): SearchResult {
  const result: SearchResult = { matches: [], hasMore: false, overlaps: false };
  if (isPlain(text, sought, alike)) return searchPlain(text, sought, limit, result);
  const needle = codesOf(sought, alike);
  if (needle.length === 0) return result;
  const fallback = fallbacksOf(needle);
  let matched = 0; // how much of the needle the last characters are
  let count = 0; // characters so far, \r\n as one where endings are alike
  let taken = 0; // those up to the end of the last place
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

const MAX_PLAIN_CHARS = 256; // up to here the product of the lengths is no danger, and `indexOf` is many times as fast

/** Whether the text is found as it is or not at all. */
function isPlain(text: string, sought: string, alike: Alike): boolean {
  if (sought === '' || sought.length > MAX_PLAIN_CHARS || alike === 'endings and quotes') return false;
  if (alike === 'nothing') return true;
  return !sought.includes('\r') && !(sought.includes('\n') && text.includes('\r'));
}

function searchPlain(text: string, sought: string, limit: number, result: SearchResult): SearchResult {
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

/** The offset that lies some characters further on, where \r\n is one. */
export function forward(text: string, offset: number, characters: number): number {
  let at = offset;
  for (let count = 0; count < characters; count += 1) at += widthAt(text, at, 'endings');
  return at;
}

/** The offset that lies some characters before. */
export function back(text: string, offset: number, characters: number, alike: Alike): number {
  if (alike === 'nothing') return offset - characters;
  let at = offset;
  for (let count = 0; count < characters; count += 1) {
    at -= text.charCodeAt(at - 1) === FEED && text.charCodeAt(at - 2) === RETURN ? 2 : 1;
  }
  return at;
}

/** One character for one, so that offsets stay what they are. */
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

/** For each beginning of the needle, the length of the longest shorter one that it ends with. */
function fallbacksOf(needle: Uint16Array): Uint32Array {
  const fallback = new Uint32Array(needle.length);
  let matched = 0;
  for (let at = 1; at < needle.length; at += 1) {
    while (matched > 0 && needle[matched] !== needle[at]) matched = fallback[matched - 1] ?? 0;
    if (needle[matched] === needle[at]) matched += 1;
    fallback[at] = matched;
  }
  return fallback;
}
