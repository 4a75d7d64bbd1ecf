/** A path or another name that differs in the copy. */
export interface Renaming {
  from: string;
  to: string;
}

/** The text with each name replaced; the longest first, so that a folder does not hide one below it. */
export function renamed(text: string, renamings: readonly Renaming[]): string {
  const known = new Map(renamings.filter(({ from }) => from !== '').map(({ from, to }) => [from, to]));
  if (known.size === 0) return text;
  const names = [...known.keys()].toSorted((one, other) => other.length - one.length).map(escaped);
  // Whole names only, not a part of a longer one such as /project2 or /project.old.
  const pattern = new RegExp(`(?<![\\w.-])(?:${names.join('|')})(?![\\w-]|\\.\\w)`, 'g');
  return text.replace(pattern, (name) => known.get(name) ?? name);
}

/** The same for all texts in a value. */
export function renamedIn(value: unknown, renamings: readonly Renaming[]): unknown {
  if (typeof value === 'string') return renamed(value, renamings);
  if (Array.isArray(value)) return value.map((item) => renamedIn(item, renamings));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, renamedIn(inner, renamings)]));
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
