/** "1 line", "3 lines". */
export const counted = (count: number, one: string, many = `${one}s`): string => `${count} ${count === 1 ? one : many}`;

/** "a, b and 3 more": the first `max` items, and how many others there are. */
export function listSome(items: readonly string[], max: number): string {
  const more = items.length - max;
  return `${items.slice(0, max).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
