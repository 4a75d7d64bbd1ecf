import type { TextLines } from './text-lines.js';

const MAX_PLACES_TRIED = 10_000;

/**
 * Passages of the text around a line that holds `body`, from the top; two are enough to know that there is not one alone.
 * Undefined where `body` occurs too often to look at each place, so that one passage would not be known to be the only one.
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
