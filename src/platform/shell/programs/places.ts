import type { Field, Place } from './program.js';

/** The files that words name, each with what lies below it; undefined where one of them is not known. */
export const fieldPlaces = (fields: readonly Field[]): Place[] | undefined => {
  const places = fields.flatMap(({ value, places: some }): (Place | undefined)[] =>
    value === undefined ? [...(some ?? [undefined])] : [{ path: value, tree: true }],
  );
  const all = places.filter((place) => place !== undefined);
  return all.length === places.length ? all : undefined;
};
