import type { JsonSchema } from '../contract/model.js';
import { isObject } from '../platform/is-object.js';

/** The names of a tool's parameters. */
export const parametersOf = ({ properties }: JsonSchema): string[] =>
  isObject(properties) ? Object.keys(properties) : [];

/** The schema with some of its properties. */
export function withParameters(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties, required } = schema;
  if (!isObject(properties)) return schema;
  const isShown = (name: unknown): boolean => names.some((each) => each === name);
  return {
    ...schema,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => isShown(name))),
    ...(Array.isArray(required) && { required: required.filter(isShown) }),
  };
}
