export const MAX_PAGES = 20;

/**
 * The pages of a choice such as "3", "1-5" or "2,4-6", sorted and unique; an error message if it is invalid. `total` is
 * the number of pages.
 */
export function choosePages(choice: string, total: number): number[] | string {
  const chosen = new Set<number>();
  for (const part of choice.split(',')) {
    const found = /^(\d{1,9})\s*(?:[-–]\s*(\d{1,9})?)?$/.exec(part.trim());
    if (!found) return `pages must be like "3", "1-5" or "2,4-6", but was ${JSON.stringify(choice.slice(0, 80))}.`;
    const first = Number(found[1]);
    // "5-" means up to the last page.
    const last = found[2] === undefined ? (/[-–]/.test(part) ? Math.max(total, first) : first) : Number(found[2]);
    if (first < 1 || last < first) return `pages are counted from 1 and go up, but "${part.trim()}" does not.`;
    if (first > total) return `there is no page ${first}: there ${total === 1 ? 'is 1 page' : `are ${total} pages`}.`;
    for (let page = first; page <= Math.min(last, total); page += 1) {
      chosen.add(page);
      if (chosen.size > MAX_PAGES) return `at most ${MAX_PAGES} pages can be read in one call. Ask for fewer.`;
    }
  }
  return [...chosen].sort((one, other) => one - other);
}
