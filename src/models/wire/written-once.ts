/** Returns the value cached for a key, or computes it: no part of a conversation is serialised twice. */
export function writtenOnce<Key extends object, Value>(
  known: WeakMap<Key, Value>,
  key: Key,
  write: () => Value,
): Value {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = write();
  known.set(key, value);
  return value;
}
