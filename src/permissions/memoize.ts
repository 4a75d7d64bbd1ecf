// Hundreds of rules look at the same few commands and paths, so results of pure functions are cached. The cache affects
// speed alone.

/** Computes once per object, as long as the object lives. */
export function memoizeByObject<Key extends object, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  const kept = new WeakMap<Key, Value>();
  return (key) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const value = compute(key);
    kept.set(key, value);
    return value;
  };
}

/** Computes once for each of the most recent texts. */
export function memoizeByText<Value>(most: number, compute: (text: string) => Value): (text: string) => Value {
  const kept = new Map<string, Value>();
  return (text) => {
    const known = kept.get(text);
    if (known !== undefined) return known;
    if (kept.size >= most) kept.clear();
    const value = compute(text);
    kept.set(text, value);
    return value;
  };
}
