const MAX_ID_CHARS = 64;

/** The id itself where every provider would take it and it is one of a kind, else one like it. Providers send blank,
 * repeated and oddly spelled ids, and refuse to have them back. `numbers` holds where to go on counting for each id. */
export function uniqueCallId(id: string, isTaken: (id: string) => boolean, numbers: Map<string, number>): string {
  const base = id.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, MAX_ID_CHARS) || 'call';
  if (id !== '' && !isTaken(base)) return base;
  for (let number = numbers.get(base) ?? 2; ; number += 1) {
    const ending = `_${number}`;
    const candidate = base.slice(0, MAX_ID_CHARS - ending.length) + ending;
    if (isTaken(candidate)) continue;
    numbers.set(base, number + 1);
    return candidate;
  }
}
