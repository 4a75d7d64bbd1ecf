// The one algorithm behind every pattern of a rule: a sequence of single matches and of gaps that take anything.

/** One place in a pattern: `gap` takes any number of items, a function takes one that it accepts. */
export type Place<Item> = 'gap' | ((item: Item) => boolean);

/**
 * Whether the pattern takes all the items. Going back to the last gap alone suffices, since a gap takes anything: the
 * time is the product of the two lengths at worst, whatever the pattern.
 */
export function matchesAll<Item>(pattern: ReadonlyArray<Place<Item>>, items: readonly Item[]): boolean {
  let place = 0;
  let index = 0;
  let gap = -1;
  let gapTook = 0;
  while (index < items.length) {
    const current = pattern[place];
    if (current === 'gap') {
      gap = place;
      gapTook = index;
      place += 1;
    } else if (current?.(items[index] as Item)) {
      // The index is below the length.
      place += 1;
      index += 1;
    } else if (gap >= 0) {
      gapTook += 1;
      place = gap + 1;
      index = gapTook;
    } else {
      return false;
    }
  }
  return pattern.slice(place).every((rest) => rest === 'gap');
}

/** Whether there are items that could be added at the end so that the pattern takes them all. */
export function matchesBeginning<Item>(pattern: ReadonlyArray<Place<Item>>, items: readonly Item[]): boolean {
  let places = withGapsSkipped(pattern, new Set([0]));
  for (const item of items) {
    const next = new Set<number>();
    for (const place of places) {
      const current = pattern[place];
      if (current === 'gap') next.add(place);
      else if (current?.(item)) next.add(place + 1);
    }
    places = withGapsSkipped(pattern, next);
  }
  return places.size > 0;
}

function withGapsSkipped<Item>(pattern: ReadonlyArray<Place<Item>>, places: Set<number>): Set<number> {
  for (const place of places) if (pattern[place] === 'gap') places.add(place + 1); // a set is walked to its last addition
  return places;
}

/** Text in which `*` stands for anything and `\\*` for a star. */
export type TextPattern = ReadonlyArray<Place<string>>;

export function textPattern(text: string): TextPattern {
  return [...text.matchAll(/\\([*\\])|([\s\S])/gu)].map(([, escaped, plain]) => {
    if (plain === '*') return 'gap';
    const wanted = escaped ?? plain;
    return (character) => character === wanted;
  });
}

export const matchesText = (pattern: TextPattern, text: string): boolean => matchesAll(pattern, [...text]);
