/** The similarity of two texts, from 0 to 1, by their shared character bigrams. Case has little weight. */
export function similarity(one: string, other: string): number {
  if (one === other) return 1;
  const [first, second] = [pairsOf(one), pairsOf(other)];
  const total = Math.max(one.length - 1, 0) + Math.max(other.length - 1, 0);
  if (total === 0) return 0;
  let shared = 0;
  for (const [pair, count] of first) shared += Math.min(count, second.get(pair) ?? 0);
  return (2 * shared) / total;
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  const lower = text.toLowerCase();
  for (let index = 0; index + 1 < lower.length; index += 1) {
    const pair = lower.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}

const MAX_WORDS = 3;
const MAX_WORD_CHARS = 64;
const MEANT = 0.5; // below this it is another word, not a typo; at it, a word with another beginning is: edit, quit
const SAME_START = 2; // letters

/** The words that may have been meant, most similar first; empty if none is similar. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  return words
    .map((candidate) => ({ candidate, score: wordSimilarity(word, candidate) }))
    .filter(({ candidate, score }) => score > MEANT || (score === MEANT && startsLike(candidate, word)))
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_WORDS)
    .map(({ candidate }) => candidate);
}

const startsLike = (one: string, other: string): boolean =>
  one.slice(0, SAME_START).toLowerCase() === other.slice(0, SAME_START).toLowerCase();

/** Words are short enough to count single typos too: a letter wrong, missing, added, or swapped with its neighbour. */
export function wordSimilarity(one: string, other: string): number {
  const longest = Math.max(one.length, other.length);
  if (longest > MAX_WORD_CHARS) return similarity(one, other);
  return Math.max(similarity(one, other), 1 - slips(one.toLowerCase(), other.toLowerCase()) / longest);
}

/** How many letters are wrong, missing, added, or swapped with their neighbour. */
export function slips(one: string, other: string): number {
  let [before, last] = [[] as number[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const choices = [
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
      ];
      if (swapped && row > 1 && column > 1) choices.push((before[column - 2] ?? 0) + 1);
      current.push(Math.min(...choices));
    }
    [before, last] = [last, current];
  }
  return last[other.length] ?? 0;
}
