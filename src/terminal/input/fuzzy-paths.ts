// Fuzzy search over very many paths, fast enough for each key press.

/** Paths prepared for searching. */
export interface PathList {
  readonly paths: readonly string[];
  readonly lower: readonly string[];
  /** A bit mask of the letters and digits in each path: most paths are rejected by it alone. */
  readonly letters: Uint32Array;
}

export function pathList(paths: readonly string[]): PathList {
  const lower = paths.map((path) => path.toLowerCase());
  return { paths, lower, letters: Uint32Array.from(lower, lettersOf) };
}

export function joinLists(lists: readonly PathList[]): PathList {
  const paths = lists.flatMap((list) => list.paths);
  const letters = new Uint32Array(paths.length);
  let at = 0;
  for (const list of lists) {
    letters.set(list.letters, at);
    at += list.letters.length;
  }
  return { paths, lower: lists.flatMap((list) => list.lower), letters };
}

/** The best matches, best first. A path matches if it contains all letters of the query in order. */
export function findPaths(list: PathList, query: string, max: number): string[] {
  const wanted = query.toLowerCase().replaceAll(' ', '');
  if (wanted === '') return list.paths.slice(0, max);
  const letters = lettersOf(wanted);
  const best: Array<{ index: number; score: number }> = [];
  for (let index = 0; index < list.paths.length; index += 1) {
    if (((list.letters[index] ?? 0) & letters) !== letters) continue;
    const score = scoreOf(wanted, list.lower[index] ?? '', list.paths[index] ?? '');
    if (score === undefined || (best.length === max && score < (best.at(-1)?.score ?? 0))) continue;
    const place = best.findIndex(
      (one) => one.score < score || (one.score === score && (list.paths[one.index] ?? '') > (list.paths[index] ?? '')),
    );
    best.splice(place < 0 ? best.length : place, 0, { index, score });
    if (best.length > max) best.pop();
  }
  return best.map(({ index }) => list.paths[index] ?? '');
}

function lettersOf(text: string): number {
  let bits = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code >= 97 && code <= 122) bits |= 1 << (code - 97);
    else if (code >= 48 && code <= 57) bits |= 1 << 26;
    else if (code === 46) bits |= 1 << 27;
    else if (code === 95 || code === 45) bits |= 1 << 28;
  }
  return bits >>> 0;
}

const IN_NAME = 60; // a match in the file name is nearly always what is meant
const AT_START = 40;
const WHOLE = 30;

/** Undefined if it does not match. Consecutive letters score higher than single ones, most at the start of a word. */
function scoreOf(wanted: string, lower: string, path: string): number | undefined {
  const name = lower.lastIndexOf('/', lower.length - 2) + 1;
  const inName = lower.indexOf(wanted, name);
  if (inName >= 0) {
    const bonus = (inName === name ? AT_START : isStart(path, inName) ? AT_START / 2 : 0) + IN_NAME;
    const isWhole = lower.length - name === wanted.length || lower.charCodeAt(inName + wanted.length) === 46;
    return bonus + (isWhole ? WHOLE : 0) + wanted.length * 6 - lower.length / 8;
  }
  const inPath = lower.indexOf(wanted);
  if (inPath >= 0) return (isStart(path, inPath) ? AT_START : 0) + wanted.length * 6 - lower.length / 8;
  // From the end, so that letters match in the file name before they match in the folders.
  let at = lower.length;
  let score = 0;
  let before = -2;
  for (let index = wanted.length - 1; index >= 0; index -= 1) {
    at = lower.lastIndexOf(wanted[index] ?? '', at - 1);
    if (at < 0) return undefined;
    score += (before === at + 1 ? 3 : 0) + (isStart(path, at) ? 5 : 0) + (at >= name ? 1 : 0);
    before = at;
    if (at === 0 && index > 0) return undefined;
  }
  return score - lower.length / 8;
}

/** Whether a word of the path starts there. */
function isStart(path: string, at: number): boolean {
  if (at === 0) return true;
  const before = path.charCodeAt(at - 1);
  if (before === 47 || before === 46 || before === 45 || before === 95 || before === 32) return true;
  const here = path.charCodeAt(at);
  return here >= 65 && here <= 90 && before >= 97 && before <= 122;
}
