/**
 * Ranks items by name: prefix matches first, then those with a word that starts with the text, then those that contain
 * its letters.
 */
export function rankNames<Thing>(typed: string, things: readonly Thing[], nameOf: (thing: Thing) => string): Thing[] {
  const wanted = typed.toLowerCase();
  return things
    .map((thing) => ({ thing, rank: rankOf(wanted, nameOf(thing).toLowerCase()), length: nameOf(thing).length }))
    .filter(({ rank }) => rank < NO_MATCH)
    .sort((one, other) => one.rank - other.rank || (wanted === '' ? 0 : one.length - other.length))
    .map(({ thing }) => thing);
}

const NO_MATCH = 5;

function rankOf(wanted: string, name: string): number {
  if (name === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.split(/[-_:.]/).some((part) => part.startsWith(wanted))) return 2;
  if (name.includes(wanted)) return 3;
  let at = 0;
  for (const letter of name) if (letter === wanted[at]) at += 1;
  return at === wanted.length ? 4 : NO_MATCH;
}
