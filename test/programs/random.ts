import { seeded } from '../seeded.js';

/** Numbers that a seed decides, so that a failure can be repeated with HELVE_SEED. */
export interface Random {
  /** A whole number from 0, below `limit`. */
  below(limit: number): number;
  pick<Value>(from: readonly Value[]): Value;
  shuffled<Value>(list: readonly Value[]): Value[];
}

export function createRandom(seed: number): Random {
  const next = seeded(seed);
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
