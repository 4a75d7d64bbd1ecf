/**
 * Loads something with the first call and returns the same promise from then on: `const git = lazy(() => import('./git.js'))`.
 * A load that failed is not kept; the next call tries again.
 */
export function lazy<Value>(load: () => Promise<Value>): Lazy<Value> {
  let loading: Promise<Value> | undefined;
  const get = async (): Promise<Value> => {
    loading ??= load();
    try {
      return await loading;
    } catch (error) {
      loading = undefined;
      throw error;
    }
  };
  return Object.assign(get, { ifLoaded: async () => await loading });
}

export interface Lazy<Value> {
  (): Promise<Value>;
  /** Waits for a load that has begun. Returns undefined if there was none. */
  ifLoaded(): Promise<Value | undefined>;
}

/** Computes the value with the first call, and returns it from then on. */
export function once<Value>(compute: () => Value): () => Value {
  let known: { value: Value } | undefined;
  return () => {
    known ??= { value: compute() };
    return known.value;
  };
}
