import type { TextLines } from './text-lines.js';

const MAX_PLACES_TRIED = 10_000;

/**
 * Passages around a line that contains `body`, in order; stops at two, which is enough to know that the match is not
 * unique. Undefined if `body` occurs too often to check each place, so that uniqueness could not be known.
 */
export function searchPassages<Passage extends { start: number }>(
  text: TextLines,
  body: string,
  passageAround: (line: number) => Passage | undefined,
): Passage[] | undefined {
  const found = new Map<number, Passage>();
  let at = text.raw.indexOf(body);
  for (let tried = 0; at !== -1 && found.size < 2; tried += 1) {
    if (tried === MAX_PLACES_TRIED) return undefined;
    const passage = passageAround(text.lineAt(at));
    if (passage) found.set(passage.start, passage);
    at = text.raw.indexOf(body, at + 1);
  }
  return [...found.values()];
}
