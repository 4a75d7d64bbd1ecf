import type { Field, PathSpec } from './program.js';

/** The files that words name, each with what lies below it; undefined where one of them is not known. */
export const fieldPathSpecs = (fields: readonly Field[]): PathSpec[] | undefined => {
  const pathSpecs = fields.flatMap(({ value, pathSpecs: some }): (PathSpec | undefined)[] =>
    value === undefined ? [...(some ?? [undefined])] : [{ path: value, tree: true }],
  );
  const all = pathSpecs.filter((place) => place !== undefined);
  return all.length === pathSpecs.length ? all : undefined;
};
