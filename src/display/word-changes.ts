// Finds the words that differ between a line and the line that replaces it.

const MAX_WORDS = 120; // per line: comparing takes the product of the two
const LEAST_COMMON = 0.4; // lines with less in common are separate lines, not one changed line

/** A range of characters. */
export type ChangedPart = readonly [from: number, to: number];

export interface WordChanges {
  before: readonly ChangedPart[];
  after: readonly ChangedPart[];
}

/** The parts that differ, or none if the lines have little in common. */
export function wordChanges(before: string, after: string): WordChanges {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  if (one.length > MAX_WORDS || other.length > MAX_WORDS) return none;
  const kept = commonWords(one, other);
  const common = kept.reduce((sum, [index]) => sum + (one[index] ?? '').trim().length, 0);
  if (common < LEAST_COMMON * Math.max(lettersOf(before), lettersOf(after))) return none;
  return {
    before: otherParts(one, new Set(kept.map(([index]) => index))),
    after: otherParts(other, new Set(kept.map(([, index]) => index))),
  };
}

const none: WordChanges = { before: [], after: [] };

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];

const lettersOf = (line: string): number => line.replaceAll(/\s/g, '').length;

/** The longest common subsequence, as pairs of indices. */
function commonWords(one: readonly string[], other: readonly string[]): Array<[number, number]> {
  const width = other.length + 1;
  const lengths = new Uint16Array((one.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = one.length - 1; row >= 0; row -= 1) {
    for (let column = other.length - 1; column >= 0; column -= 1) {
      lengths[row * width + column] =
        one[row] === other[column] ? at(row + 1, column + 1) + 1 : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const pairs: Array<[number, number]> = [];
  for (let row = 0, column = 0; row < one.length && column < other.length; ) {
    if (one[row] === other[column]) pairs.push([row++, column++]);
    else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
}

/** The ranges of the words that are not kept; blanks between two of them belong to the change. */
function otherParts(words: readonly string[], kept: ReadonlySet<number>): ChangedPart[] {
  const parts: Array<[number, number]> = [];
  let offset = 0;
  let blankAt: number | undefined;
  for (const [index, word] of words.entries()) {
    const end = offset + word.length;
    const last = parts.at(-1);
    if (kept.has(index)) {
      blankAt = word.trim() === '' && last?.[1] === offset ? offset : undefined;
    } else if (last && (last[1] === offset || (blankAt !== undefined && last[1] === blankAt))) {
      last[1] = end;
    } else {
      parts.push([offset, end]);
    }
    offset = end;
  }
  return parts;
}
