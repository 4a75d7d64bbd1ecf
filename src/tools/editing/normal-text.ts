/** A text with every line ending as \n, and the way back to the places in the text as it is. */
export interface NormalText {
  raw: string;
  normal: string;
  /** The offset in `raw` of an offset in `normal`. */
  toRaw(offset: number): number;
  /** The 1-based line that an offset in `normal` is in. */
  lineAt(offset: number): number;
  /** A line of `normal` without its ending. */
  line(number: number): string;
  /** How many lines there are; an ending at the end of the text begins no further line. */
  lineCount: number;
}

export const normalizeEndings = (text: string): string => text.replace(/\r\n?/g, '\n');

export function normalText(raw: string): NormalText {
  const normal = raw.includes('\r') ? normalizeEndings(raw) : raw;
  const pairs: number[] = []; // where in `normal` an ending stands for the two characters \r\n
  if (raw.includes('\r\n')) {
    for (let at = raw.indexOf('\r\n'); at !== -1; at = raw.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  }
  const starts = [0];
  for (let at = normal.indexOf('\n'); at !== -1; at = normal.indexOf('\n', at + 1)) starts.push(at + 1);
  const lineCount = starts.length - (normal.endsWith('\n') || normal === '' ? 1 : 0);
  return {
    raw,
    normal,
    toRaw: (offset) => offset + countBelow(pairs, offset),
    lineAt: (offset) => countBelow(starts, offset + 1),
    line: (number) => normal.slice(starts[number - 1] ?? normal.length, (starts[number] ?? normal.length + 1) - 1),
    lineCount,
  };
}

/** How many of the sorted numbers are below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
