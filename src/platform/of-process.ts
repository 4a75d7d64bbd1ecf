/**
 * The one value of this name that the process has. Limits of a machine and of a provider hold for all sessions of a
 * process, also if a program has loaded two copies of this library. The name stands for the type: it must have a
 * version in it if the type ever changes. Nothing of a conversation may be kept in it.
 */
export function ofProcess<Value>(name: string, create: () => Value): Value {
  const key = Symbol.for(`helve.${name}`);
  const known: unknown = Reflect.get(globalThis, key);
  if (known !== undefined) return known as Value; // nothing else is stored under this key
  const value = create();
  Reflect.set(globalThis, key, value);
  return value;
}
