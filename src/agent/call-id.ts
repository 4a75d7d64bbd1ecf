const MAX_ID_CHARS = 64;

/** Returns the id if it is unique and every provider accepts it, else a similar one. Providers send blank,
 * repeated and oddly spelled ids, but reject them in requests. `numbers` has the last number used for each id. */
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
