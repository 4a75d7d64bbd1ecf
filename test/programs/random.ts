/** Numbers that a seed decides, so that a failure can be repeated with HELVE_SEED. */
export interface Random {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  pick<Value>(from: readonly Value[]): Value;
  shuffled<Value>(list: readonly Value[]): Value[];
}

export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    pick(from) {
      const value = from[below(from.length)];
      if (value === undefined) throw new Error('there is nothing to pick from');
      return value;
    },
    shuffled(list) {
      const keyed = list.map((value) => ({ value, key: next() }));
      return keyed.sort((one, other) => one.key - other.key).map(({ value }) => value);
    },
  };
}
