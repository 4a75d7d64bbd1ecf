// What is wrong with an input, in words for the model.
import type * as z from 'zod';
import type { InputIssue } from './tool.js';

export function describeIssue(issue: z.core.$ZodIssue, input: unknown): InputIssue {
  const path = issue.path.reduce<string>(
    (text, key) => (typeof key === 'number' ? `${text}[${key}]` : text ? `${text}.${String(key)}` : String(key)),
    '',
  );
  if (issue.code === 'unrecognized_keys') {
    const message = `${issue.keys.map((key) => `"${key}"`).join(', ')} is not a parameter of this tool`;
    return { path, message, unknown: issue.keys };
  }
  const value = issue.path.reduce<unknown>(
    (inner, key) => (typeof inner === 'object' && inner !== null ? Reflect.get(inner, key) : undefined),
    input,
  );
  if (value === undefined && issue.path.length > 0) return { path, message: 'is required, but is missing' };
  return { path, message: `${expectation(issue)}, but was ${shown(value)}` };
}

const entries = (count: number | bigint): string => (Number(count) === 1 ? '1 entry' : `${count} entries`);

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeNames[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'too_small':
      return issue.origin === 'string'
        ? `must have at least ${issue.minimum} characters`
        : issue.origin === 'array'
          ? `must have at least ${entries(issue.minimum)}`
          : `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return issue.origin === 'string'
        ? `must have at most ${issue.maximum} characters`
        : issue.origin === 'array'
          ? `must have at most ${entries(issue.maximum)}`
          : `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    default:
      return lowerFirst(issue.message);
  }
}

const typeNames: Readonly<Record<string, string>> = {
  number: 'a number',
  int: 'a whole number',
  string: 'a string',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
};

const lowerFirst = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

export function shown(value: unknown): string {
  const text = jsonOf(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** A schema's parsed value need not be serializable as JSON. */
function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
