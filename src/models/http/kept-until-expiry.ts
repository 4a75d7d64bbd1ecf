/** Something that was fetched and expires, such as a token. */
export interface Expiring<Value> {
  value: Value;
  /** In milliseconds since 1970; infinite if it does not expire. */
  expiresAt: number;
}

export interface KeptUntilExpiry<Value> {
  /** The value, fetched anew when it has expired. Parallel calls share one fetch; a failure is not kept. */
  get(): Promise<Value>;
  /** Drops the value, so that the next call fetches it. */
  forget(): void;
}

const EARLY_MS = 60_000; // a value is replaced this long before it expires, because a request takes time

export function keptUntilExpiry<Value>(
  fetch: () => Promise<Expiring<Value>>,
  now: () => number,
): KeptUntilExpiry<Value> {
  let current: Promise<Expiring<Value>> | undefined;
  const fetched = (): Promise<Expiring<Value>> => {
    const started = fetch();
    current = started;
    started.catch(() => {
      if (current === started) current = undefined;
    });
    return started;
  };
  return {
    async get() {
      const kept = current;
      if (kept === undefined) return (await fetched()).value;
      const { value, expiresAt } = await kept;
      if (expiresAt - EARLY_MS > now()) return value;
      // Another call may have begun the next fetch in the meantime.
      return (await (current === undefined || current === kept ? fetched() : current)).value;
    },
    forget() {
      current = undefined;
    },
  };
}
