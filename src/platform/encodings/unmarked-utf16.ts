const MIN_UNITS = 16; // fewer are not conclusive
const NO_TEXT = /[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\t\n\f\r]/u;
const PLAIN = /[\t\n\r -~]/g;

/**
 * The byte order of UTF-16 text without a byte order mark, by the beginning of a file. Only if it is certainly text:
 * NULs in one half of the units only, every character printable, and enough letters, blanks and newlines.
 */
export function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const units = head.length >> 1;
  if (units < MIN_UNITS || !head.includes(0)) return undefined;
  const nuls = [0, 0];
  for (let index = 0; index < units * 2; index += 1) {
    if (head[index] === 0) nuls[index & 1] = (nuls[index & 1] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nuls;
  if (even > 0 === odd > 0) return undefined;
  const encoding = odd > 0 ? 'utf-16le' : 'utf-16be';
  // A surrogate pair may be cut at the end of the head, so a trailing high surrogate is ignored.
  const text = decodeUtf16(head.subarray(0, units * 2), encoding).replace(/[\ud800-\udbff]$/, '');
  if (!text.isWellFormed() || NO_TEXT.test(text)) return undefined;
  const plain = text.match(PLAIN)?.length ?? 0;
  return plain >= text.length / 8 ? encoding : undefined;
}

function decodeUtf16(bytes: Buffer, encoding: 'utf-16le' | 'utf-16be'): string {
  return (encoding === 'utf-16le' ? bytes : Buffer.from(bytes).swap16()).toString('utf16le');
}
