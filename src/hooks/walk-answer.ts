// Visits an answer of any shape and depth, without recursion and in linear time: a hook may print a list that is nested
// more deeply than a call stack can be.

const MAX_SHOWN = 10; // parts of a path

/** A value in an answer. */
export interface Place {
  key: string;
  value: unknown;
  /** The letters of its field; in a list, those of the field that holds the list. */
  spelled: string;
  depth: number;
  parent?: Place;
}

/** The letters that all spellings of a field share: `permission_decision` and `PermissionDecision` have the same. */
export const letters = (field: string): string => field.replace(/[^A-Za-z]/g, '').toLowerCase();

/** Every value below the answer, each object once, a field before its parts. `enters` says whether to visit a value. */
export function* placesIn(answer: object, enters: (place: Place) => boolean): Generator<Place> {
  const seen = new Set<object>([answer]);
  const waiting = partsOf({ key: '', value: answer, spelled: '', depth: 0 });
  for (let place = waiting.pop(); place; place = waiting.pop()) {
    if (!enters(place)) continue;
    yield place;
    const { value } = place;
    if (typeof value !== 'object' || value === null || seen.has(value)) continue;
    seen.add(value);
    for (const part of partsOf(place)) waiting.push(part);
  }
}

/** In reverse order, for a stack. */
function partsOf(parent: Place): Place[] {
  const isList = Array.isArray(parent.value);
  return Object.entries(parent.value as object) // checked by the callers
    .map(([key, value]) => {
      const spelled = isList ? parent.spelled : letters(key);
      return { key, value, spelled, depth: parent.depth + 1, parent };
    })
    .reverse();
}

/** Such as `output.decision`; only the end of a very long path. */
export function pathOf(place: Place): string {
  const keys: string[] = [];
  let part: Place | undefined = place;
  for (; part && part.depth > 0 && keys.length < MAX_SHOWN; part = part.parent) keys.unshift(part.key);
  return part && part.depth > 0 ? `….${keys.join('.')}` : keys.join('.');
}
