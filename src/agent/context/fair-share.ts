/**
 * How much each may have at most, so that all of them together fit into the budget: the small ones get what they want,
 * and the large ones share what is left.
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
