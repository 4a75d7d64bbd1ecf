import type { TextLines } from './text-lines.js';

const MAX_PLACES_TRIED = 10_000;
const MAX_COMPARED = 10_000_000; // in characters; in a file of equal lines, much of the text is compared at each place
const LINE_COST = 20;

/**
 * Passages around a line that contains `body`, in order; stops at two, which is enough to know that the match is not
 * unique. Undefined if `body` occurs too often to check each place, so that uniqueness could not be known.
 * `passageAround` calls `compared` with each line that it has compared.
 */
export function searchPassages<Passage extends { start: number }>(
  text: TextLines,
  body: string,
  passageAround: (line: number, compared: (line: string) => void) => Passage | undefined,
): Passage[] | undefined {
  const found = new Map<number, Passage>();
  let work = 0;
  const compared = (line: string): void => {
    work += line.length + LINE_COST;
  };
  let at = text.raw.indexOf(body);
  for (let tried = 0; at !== -1 && found.size < 2; tried += 1) {
    if (tried === MAX_PLACES_TRIED || work > MAX_COMPARED) return undefined;
    const line = text.lineAt(at);
    const passage = passageAround(line, compared);
    if (passage) found.set(passage.start, passage);
    at = text.raw.indexOf(body, text.start(line + 1)); // another place in the same line is the same passage
  }
  return [...found.values()];
}
