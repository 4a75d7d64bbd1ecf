import { nearestWords, slips, wordSimilarity } from '../../platform/text/similar-text.js';
import type { Catalogue } from './catalogue.js';

/**
 * The "provider/name" in the catalogue that was clearly meant by a name that is not in it: a word has a slip of the
 * pen, or only marks, case or the order of the words differ. Undefined for a known name, and for one that may belong to
 * a newer model, which differs in its digits or by a word of its own.
 */
export function misspeltModel(provider: string, name: string, catalogue: Catalogue): string | undefined {
  const known = namesOf(provider, catalogue);
  const undated = name.replace(/-(\d{8}|\d{4}-\d\d-\d\d)$/, '');
  if (known.length === 0 || known.includes(name) || known.includes(undated)) return undefined;
  const same = sameName(undated, known);
  if (same !== undefined) return `${provider}/${same}`;
  const corrected = correctWords(undated, new Set(known.flatMap(lettersOf)));
  if (corrected === undefined) return undefined;
  const nearest = sameName(corrected, known) ?? nearestWords(corrected, known)[0];
  return nearest && `${provider}/${nearest}`;
}

const NEAR = 0.7; // a server does not know the name at all, so it need not be a slip of the pen

/** The nearest name of a provider, for one that its server does not know. */
export function nearestModel(provider: string, name: string, catalogue: Catalogue): string | undefined {
  const misspelt = misspeltModel(provider, name, catalogue);
  if (misspelt !== undefined) return misspelt;
  const others = namesOf(provider, catalogue).filter((known) => known !== name);
  const [nearest] = nearestWords(name, others);
  return nearest !== undefined && wordSimilarity(name, nearest) >= NEAR ? `${provider}/${nearest}` : undefined;
}

const namesOf = (provider: string, { models }: Catalogue): string[] =>
  [...models.keys()].filter((id) => id.startsWith(`${provider}/`)).map((id) => id.slice(provider.length + 1));

const lettersOf = (name: string): string[] => name.toLowerCase().match(/[a-z]+/g) ?? [];

/** A known name of the same letters and digits, or of the same words in another order with the digits as they are. */
function sameName(name: string, known: readonly string[]): string | undefined {
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z\d]/g, '');
  const sorted = (text: string): string => [...lettersOf(text).toSorted(), ...(text.match(/\d+/g) ?? [])].join(' ');
  return known.find((one) => bare(one) === bare(name)) ?? known.find((one) => sorted(one) === sorted(name));
}

/** The name with its misspelt words as they are in other names. Undefined if no word is misspelt. */
function correctWords(name: string, words: ReadonlySet<string>): string | undefined {
  let isMisspelt = false;
  const corrected = name.toLowerCase().replace(/[a-z]+/g, (word) => {
    const meant = words.has(word) ? undefined : [...words].find((known) => isSlip(word, known));
    if (meant !== undefined) isMisspelt = true;
    return meant ?? word;
  });
  return isMisspelt ? corrected : undefined;
}

const LEAST = 3; // letters of a word; shorter ones are versions such as "v" and "o"
const LEAST_OTHER = 5; // "live" is another word than "lite"
const LEAST_DOUBLE = 6;

/** Vendors give new models similar names, such as "magistral" beside "mistral", so few differences are slips. */
function isSlip(word: string, known: string): boolean {
  const count = known.length < LEAST || word.length < LEAST ? 0 : slips(word, known);
  const sameLetters = [...word].toSorted().join('') === [...known].toSorted().join('');
  if (count === 1) return word.length !== known.length || sameLetters || known.length >= LEAST_OTHER;
  // "sonett", "sonnnet": no letter that the word does not have.
  const inBoth =
    new Set([...word, ...known]).size === new Set(known).size && new Set(word).size === new Set(known).size;
  return count === 2 && known.length >= LEAST_DOUBLE && inBoth;
}
