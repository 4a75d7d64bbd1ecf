/** What was written for a key before, else what is written now: nothing of a conversation is put together twice. */
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
