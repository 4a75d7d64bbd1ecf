import { nearestWords, wordSimilarity } from '../platform/text/similar-text.js';

const SLIP = 0.7; // one letter in four: below this it is a key of its own, such as a note

/** What is wrong with the keys of a line of JSON, as a clause; undefined if all are known. */
export function unknownLineKey(line: Readonly<Record<string, unknown>>, known: readonly string[]): string | undefined {
  const key = Object.keys(line).find((name) => !known.includes(name));
  if (key === undefined) return undefined;
  const [nearest] = nearestWords(key, known);
  return wording(key, nearest);
}

/** The same, for lines that may have keys of their own: only about a key that resembles one that the line lacks. */
export function misspeltLineKey(line: Readonly<Record<string, unknown>>, known: readonly string[]): string | undefined {
  const missing = known.filter((name) => !Object.hasOwn(line, name));
  for (const key of Object.keys(line)) {
    if (known.includes(key)) continue;
    const meant = missing.find((name) => wordSimilarity(key, name) >= SLIP);
    if (meant !== undefined) return wording(key, meant);
  }
  return undefined;
}

const wording = (key: string, meant: string | undefined): string =>
  `it has ${JSON.stringify(key)}, which is unknown${meant === undefined ? '' : `. Did you mean "${meant}"?`}`;
