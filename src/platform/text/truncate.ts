/** Elides the middle of a text that is longer than `max` characters, with a line that says how much is missing. */
export function cutMiddle(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = Math.floor(max / 2);
  const head = text.slice(0, safeCut(text, half));
  const tail = text.slice(safeCut(text, text.length - half));
  return `${head}\n[… ${text.length - head.length - tail.length} characters left out …]\n${tail}`;
}

/** The nearest index at or before `index` that does not split a surrogate pair. */
export function safeCut(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff && index > 0 ? index - 1 : index;
}
