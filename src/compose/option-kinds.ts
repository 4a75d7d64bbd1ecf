// Types of options as values, to check the options of untyped programs: the error names the option and its expected type.
import { isObject } from '../platform/is-object.js';
import { nearestWords } from '../platform/text/similar-text.js';

/** One type. `problem` describes why a value is invalid, or returns undefined. */
export interface Kind {
  /** A phrase such as "a string". */
  readonly expected: string;
  problem(value: unknown, path: string): string | undefined;
}

/** The options of one function, or the fields of one option. Options that are left out are not checked. */
export type Kinds<Options> = { readonly [Name in keyof Options]-?: Kind };

/** Throws `TypeError` for the first option with an unknown name or a wrong type. `taker` is the function that takes them. */
export function checkKinds(
  options: unknown,
  kinds: Readonly<Record<string, Kind>>,
  taker: string,
  others = noNames,
): void {
  if (!isObject(options)) {
    throw new TypeError(`${taker} takes an object with options, but was given ${shown(options)}.`);
  }
  const unfit = plainProblem(options, `${taker}: options`);
  if (unfit !== undefined) throw new TypeError(unfit);
  const problem = fieldsProblem(options, { kinds, path: '', taker, others });
  if (problem !== undefined) throw new TypeError(problem);
}

export function checkKind(value: unknown, kind: Kind, path: string): void {
  const problem = kind.problem(value, path);
  if (problem !== undefined) throw new TypeError(problem);
}

const noNames: Readonly<Record<string, string>> = {};

function simple(expected: string, fits: (value: unknown) => boolean): Kind {
  return {
    expected,
    problem: (value, path) => (fits(value) ? undefined : mustBe(path, expected, value)),
  };
}

export const text = simple('a string', (value) => typeof value === 'string');
export const flag = simple('true or false', (value) => typeof value === 'boolean');
export const callback = simple('a function', (value) => typeof value === 'function');
export const abortSignal = simple('an AbortSignal', (value) => value instanceof AbortSignal);
/** Any object; another check validates its content. */
export const object = simple('an object', (value) => isObject(value));
export const anything = simple('anything', () => true);
export const count = simple('a whole number of at least 0', (value) => Number.isInteger(value) && Number(value) >= 0);
export const positiveCount = simple('a whole number above 0', (value) => Number.isInteger(value) && Number(value) > 0);
export const positive = simple('a number above 0', (value) => typeof value === 'number' && value > 0);
export const variable = simple('a string or undefined', (value) => value === undefined || typeof value === 'string');

export const numberFrom = (least: number, most: number): Kind =>
  simple(`a number from ${least} to ${most}`, (value) => typeof value === 'number' && value >= least && value <= most);

export const oneOf = (values: readonly string[]): Kind =>
  simple(`one of ${values.join(', ')}`, (value) => values.some((known) => known === value));

/** A type with an additional condition: `also` describes why a value of this type is invalid. */
export const withCheck = (kind: Kind, also: (value: unknown, path: string) => string | undefined): Kind => ({
  expected: kind.expected,
  problem: (value, path) => kind.problem(value, path) ?? also(value, path),
});

/** The path of a folder. Not empty, since an empty path would silently mean the default. */
export const path = withCheck(text, (value, name) =>
  String(value).trim() === ''
    ? `${name} must be the path of a folder, but is empty. Leave it out for the default.`
    : undefined,
);

export const list = (entry: Kind): Kind => ({
  expected: 'a list',
  problem(value, path) {
    if (!Array.isArray(value)) return mustBe(path, 'a list', value);
    return firstOf(value.map((each, index) => () => entry.problem(each, `${path}[${index}]`)));
  },
});

/** An object with any keys, and values of this type. */
export const record = (entry: Kind): Kind => ({
  expected: 'an object',
  problem(value, path) {
    if (!isObject(value)) return mustBe(path, 'an object', value);
    const unfit = plainProblem(value, path);
    if (unfit !== undefined) return unfit;
    return firstOf(
      Object.entries(value).map(
        ([name, each]) =>
          () =>
            entry.problem(each, `${path}.${name}`),
      ),
    );
  },
});

/** An object with these keys only. */
export const fields = (kinds: Readonly<Record<string, Kind>>, required: readonly string[] = []): Kind => ({
  expected: 'an object',
  problem(value, path) {
    if (!isObject(value)) return mustBe(path, 'an object', value);
    const unfit = plainProblem(value, path);
    if (unfit !== undefined) return unfit;
    const problem = fieldsProblem(value, { kinds, path, taker: path, others: noNames });
    const missing = required.find((name) => Reflect.get(value, name) === undefined);
    if (problem !== undefined || missing === undefined) return problem;
    return kinds[missing]?.problem(undefined, `${path}.${missing}`);
  },
});

/** One of these exact values, or a value of the other type. */
export const valueOr = (values: readonly unknown[], other: Kind): Kind => ({
  expected: `${values.map((value) => JSON.stringify(value)).join(', ')} or ${other.expected}`,
  problem(value, path) {
    if (values.includes(value)) return undefined;
    if (isObject(value) && other.expected === 'an object') return other.problem(value, path);
    if (other.problem(value, path) === undefined) return undefined;
    return mustBe(path, this.expected, value);
  },
});

interface Fields {
  kinds: Readonly<Record<string, Kind>>;
  path: string;
  taker: string;
  others: Readonly<Record<string, string>>;
}

function fieldsProblem(value: object, { kinds, path, taker, others }: Fields): string | undefined {
  for (const [name, each] of Object.entries(value)) {
    if (each === undefined) continue;
    const kind = Object.hasOwn(kinds, name) ? kinds[name] : undefined;
    if (!kind) return unknownName(name, { kinds, taker, others });
    const problem = kind.problem(each, path === '' ? name : `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function unknownName(name: string, { kinds, taker, others }: Omit<Fields, 'path'>): string {
  const meant = (Object.hasOwn(others, name) ? others[name] : undefined) ?? nearestWords(name, Object.keys(kinds))[0];
  const advice = meant === undefined ? `It has: ${Object.keys(kinds).join(', ')}.` : `Did you mean ${meant}?`;
  return `${taker} has no option "${name}". ${advice}`;
}

function firstOf(checks: ReadonlyArray<() => string | undefined>): string | undefined {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Rejects inherited and non-enumerable properties: they are not read, so a rule or a hook would be silently ignored. */
function plainProblem(value: object, path: string): string | undefined {
  if (tagOf(value) !== undefined) return mustBe(path, 'an object', value);
  const lost = hiddenName(value) ?? inheritedName(value);
  if (lost === undefined) return undefined;
  const { what, name } = lost;
  return `${path} must be a plain object, but its property "${name}" is ${what} and would be ignored. Write it into the object itself: { ${name}: … }.`;
}

function hiddenName(value: object): { what: string; name: string } | undefined {
  const name = Object.getOwnPropertyNames(value).find(
    (each) => !Object.prototype.propertyIsEnumerable.call(value, each),
  );
  return name === undefined ? undefined : { what: 'not enumerable', name };
}

function inheritedName(value: object): { what: string; name: string } | undefined {
  let above: unknown = Object.getPrototypeOf(value);
  while (isObject(above) && !Object.hasOwn(above, 'isPrototypeOf')) {
    const name = Object.getOwnPropertyNames(above).find((each) => each !== 'constructor');
    if (name !== undefined) return { what: 'inherited', name };
    above = Object.getPrototypeOf(above);
  }
  return undefined;
}

/** The name of a built-in type whose content is not in its properties, such as Promise and Map. */
function tagOf(value: object): string | undefined {
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  return ['Object', 'Module', 'Array', 'Function'].includes(tag) ? undefined : tag;
}

/** Names the expected type and the given value. */
export function mustBe(path: string, expected: string, value: unknown): string {
  const advice = value instanceof Promise ? ' Was an await forgotten?' : '';
  return `${path} must be ${expected}, but was ${shown(value)}.${advice}`;
}

/** Formats a value for a message. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return 'a list';
  const tag = typeof value === 'object' && value !== null ? tagOf(value) : undefined;
  if (tag !== undefined) return /^[AEIOU]/.test(tag) ? `an ${tag}` : `a ${tag}`;
  if (typeof value === 'object' && value !== null)
    return 'name' in value ? `an object named "${String(value.name)}"` : 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}

/** Whether a value is a schema of zod, of any version. */
export const isZodSchema = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'safeParse' in value && typeof value.safeParse === 'function';

/** Whether a value is a shape such as `{ a: z.string() }`: the argument of `z.object`, which other SDKs accept as a schema. */
export function isZodShape(value: unknown): boolean {
  if (!isObject(value) || isZodSchema(value)) return false;
  const entries = Object.values(value);
  return entries.length > 0 && entries.every(isZodSchema);
}
