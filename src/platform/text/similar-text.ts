/** How alike two texts are, from 0 to 1, by the pairs of characters that they share. Case counts for little. */
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
const MEANT = 0.5; // below this it is another word, not a slip

/** The words that may have been meant, most similar first; none where nothing is similar. */
export function nearestWords(word: string, words: readonly string[]): string[] {
  return words
    .map((candidate) => ({ candidate, score: similarity(word, candidate) }))
    .filter(({ score }) => score >= MEANT)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_WORDS)
    .map(({ candidate }) => candidate);
}
