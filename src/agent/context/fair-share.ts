/**
 * The most that each may have, so that all together fit into the budget: small demands are granted in full,
 * and large ones share the rest equally.
 */
export function fairShare(wishes: readonly number[], budget: number): number {
  let left = budget;
  let waiting = wishes.length;
  for (const wish of wishes.toSorted((one, other) => one - other)) {
    if (wish * waiting > left) return Math.max(0, left / waiting);
    left -= wish;
    waiting -= 1;
  }
  return Number.POSITIVE_INFINITY;
}
