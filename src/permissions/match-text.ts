// The one algorithm behind every pattern of a rule: a sequence of single matches and of gaps that take anything.

/** One element of a pattern: `gap` takes any number of items, a function takes one that it accepts. */
export type PatternElement<Item> = 'gap' | ((item: Item) => boolean);

/**
 * Whether the pattern takes all the items. Going back to the last gap alone suffices, since a gap takes anything: the
 * time is the product of the two lengths at worst, whatever the pattern.
 */
export function matchesAll<Item>(pattern: ReadonlyArray<PatternElement<Item>>, items: readonly Item[]): boolean {
  let element = 0;
  let index = 0;
  let gap = -1;
  let gapTook = 0;
  while (index < items.length) {
    const current = pattern[element];
    if (current === 'gap') {
      gap = element;
      gapTook = index;
      element += 1;
    } else if (current?.(items[index] as Item)) {
      // The index is below the length.
      element += 1;
      index += 1;
    } else if (gap >= 0) {
      gapTook += 1;
      element = gap + 1;
      index = gapTook;
    } else {
      return false;
    }
  }
  return pattern.slice(element).every((rest) => rest === 'gap');
}

/** Whether there are items that could be added at the end so that the pattern takes them all. */
export function matchesBeginning<Item>(pattern: ReadonlyArray<PatternElement<Item>>, items: readonly Item[]): boolean {
  let elements = withGapsSkipped(pattern, new Set([0]));
  for (const item of items) {
    const next = new Set<number>();
    for (const element of elements) {
      const current = pattern[element];
      if (current === 'gap') next.add(element);
      else if (current?.(item)) next.add(element + 1);
    }
    elements = withGapsSkipped(pattern, next);
  }
  return elements.size > 0;
}

function withGapsSkipped<Item>(pattern: ReadonlyArray<PatternElement<Item>>, elements: Set<number>): Set<number> {
  for (const element of elements) if (pattern[element] === 'gap') elements.add(element + 1); // a set is walked to its last addition
  return elements;
}

/** Text in which `*` stands for anything and `\\*` for a star. */
export type TextPattern = ReadonlyArray<PatternElement<string>>;

export function textPattern(text: string): TextPattern {
  return [...text.matchAll(/\\([*\\])|([\s\S])/gu)].map(([, escaped, plain]) => {
    if (plain === '*') return 'gap';
    const wanted = escaped ?? plain;
    return (character) => character === wanted;
  });
}

export const matchesText = (pattern: TextPattern, text: string): boolean => matchesAll(pattern, [...text]);
