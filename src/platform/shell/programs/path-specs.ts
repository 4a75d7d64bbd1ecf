import type { PathSpec, ShellField } from './program.js';

/** The files that words name, each including everything below it; undefined if one of them is unknown. */
export const fieldPathSpecs = (fields: readonly ShellField[]): PathSpec[] | undefined => {
  const pathSpecs = fields.flatMap(({ value, pathSpecs: some }): (PathSpec | undefined)[] =>
    value === undefined ? [...(some ?? [undefined])] : [{ path: value, tree: true }],
  );
  const all = pathSpecs.filter((place) => place !== undefined);
  return all.length === pathSpecs.length ? all : undefined;
};
