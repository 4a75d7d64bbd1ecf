/**
 * The text of an answer. It should be UTF-8, but some shells print UTF-16, with or without a byte order mark. NULs are
 * removed, since they are not part of any text.
 */
export function decodeAnswer(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes).replaceAll('\0', '');
}

function encodingOf(bytes: Buffer): 'utf-8' | 'utf-16le' | 'utf-16be' {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  let [even, odd] = [0, 0];
  for (let at = bytes.indexOf(0); at >= 0; at = bytes.indexOf(0, at + 1)) {
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  // The names of fields are ASCII, so one byte of each pair is NUL there.
  if (Math.max(even, odd) * 4 < bytes.length || (even > 0 && odd > 0)) return 'utf-8';
  return odd > 0 ? 'utf-16le' : 'utf-16be';
}
