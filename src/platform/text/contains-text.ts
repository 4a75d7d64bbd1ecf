/**
 * Whether a text contains another, in linear time (Knuth, Morris and Pratt). `String.prototype.includes` takes time in
 * the product of both lengths for texts that are made for it, which matters if both come from a stranger.
 */
export function containsText(text: string, part: string): boolean {
  if (part === '') return true;
  if (part.length > text.length) return false;
  const fallback = fallbacks(part);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = fallback[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    if (matched === part.length) return true;
  }
  return false;
}

/** For each prefix, the length of its longest proper suffix that is a prefix too. */
function fallbacks(part: string): Int32Array {
  const lengths = new Int32Array(part.length);
  let matched = 0;
  for (let at = 1; at < part.length; at += 1) {
    const code = part.charCodeAt(at);
    while (matched > 0 && part.charCodeAt(matched) !== code) matched = lengths[matched - 1] ?? 0;
    if (part.charCodeAt(matched) === code) matched += 1;
    lengths[at] = matched;
  }
  return lengths;
}
