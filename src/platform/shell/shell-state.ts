// What the shell knows at one point of a command, as far as the text alone tells: where it is, what its variables hold,
// which functions it has. And how builtins change that for what comes after them.
import { isHarmlessAssignment } from './assignments.js';
import { placeIn, type Value } from './expand-word.js';
import type { Call, Field, Place } from './programs/program.js';

const MAX_DIRECTORIES = 4; // in which a command may find itself

/** What the shell knows at one point of the command. Never changed: each step makes a new one. */
export interface State {
  /** The directories in which it may be; undefined where they can't be told. */
  directories: readonly string[] | undefined;
  variables: ReadonlyMap<string, Value | undefined>;
  /** Functions that are defined for certain, and those that only may be. */
  functions: ReadonlyMap<string, 'defined' | 'maybe'>;
  /** Why programs may no longer be what their names say. */
  tampered: string | undefined;
  piped: readonly Place[] | undefined;
  /** Where `cd -` leads. */
  previous: readonly string[] | undefined;
}

/** The state after a command that went well, and after one that failed. */
export interface Outcome {
  ok: State;
  fail: State;
}

export const both = (state: State): Outcome => ({ ok: state, fail: state });

/** The same where a function, a script or a builtin may have set any variable. */
export const withoutValues = (variables: State['variables']): State['variables'] =>
  new Map([...variables].map(([name]) => [name, undefined]));

export function withVariable(state: State, name: string, value: Value | undefined): State {
  return { ...state, variables: new Map([...state.variables, [name, value]]) };
}

export const without = (
  variables: ReadonlyMap<string, Value | undefined>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Value | undefined> =>
  new Map([...variables, ...[...names].map((name) => [name, undefined] as const)]);

export const maybeFunctions = (functions: State['functions']): State['functions'] =>
  new Map([...functions].map(([name]) => [name, 'maybe' as const]));

/** Where two ways through the command meet. */
export function join(a: State, b: State): State {
  if (a === b) return a;
  const names = new Set([...a.variables.keys(), ...b.variables.keys()]);
  const functions = new Set([...a.functions.keys(), ...b.functions.keys()]);
  return {
    directories: joinDirectories(a.directories, b.directories),
    variables: new Map(
      [...names].map((name) => [
        name,
        a.variables.get(name) === b.variables.get(name) ? a.variables.get(name) : undefined,
      ]),
    ),
    functions: new Map(
      [...functions].map((name) => {
        const certain = a.functions.get(name) === 'defined' && b.functions.get(name) === 'defined';
        return [name, certain ? 'defined' : 'maybe'];
      }),
    ),
    tampered: a.tampered ?? b.tampered,
    piped: a.piped === b.piped ? a.piped : undefined,
    previous: a.previous === b.previous ? a.previous : joinDirectories(a.previous, b.previous),
  };
}

function joinDirectories(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (a === undefined || b === undefined) return undefined;
  const all = [...new Set([...a, ...b])];
  return all.length > MAX_DIRECTORIES ? undefined : all;
}

/** What builtins of the shell change for what comes after them. */
export function afterBuiltin({ name, args, piped }: Call, state: State, home: string | undefined): Outcome {
  switch (name) {
    case 'cd':
    case 'pushd':
    case 'popd':
    case 'chdir':
      return {
        ok: { ...state, directories: directoriesAfter(name, args, state, home), previous: state.directories },
        fail: state,
      };
    case 'source':
    case '.':
    case 'eval':
    case 'trap':
    case 'alias':
    case 'unalias':
    case 'enable':
    case 'hash':
    case 'shopt':
    case 'builtin':
    case 'unset': {
      const keeps = name === 'eval' || name === 'trap' || name === 'builtin';
      return both({
        ...state,
        directories:
          name === 'source' ||
          name === '.' ||
          name === 'builtin' ||
          (name === 'eval' && args.some(({ value }) => value === undefined))
            ? undefined
            : state.directories,
        variables: withoutValues(state.variables),
        functions: maybeFunctions(state.functions),
        tampered: keeps ? state.tampered : (state.tampered ?? `${name} may have redefined it`),
      });
    }
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
    case 'printf':
    case 'declare':
    case 'typeset':
    case 'local':
    case 'readonly':
    case 'export': {
      let next = state;
      for (const { value, text } of args) {
        const target = /^([A-Za-z_]\w*)(=|$|\[|\+=)/.exec(value ?? text)?.[1];
        const places = name === 'read' && piped && /^[A-Za-z_]\w*$/.test(value ?? '') ? piped : undefined;
        if (target !== undefined && name !== 'printf') {
          next = withVariable(
            next,
            target,
            places
              ? [{ text, mayBeOption: places.some(({ path }) => path === '.'), splits: false, places }]
              : undefined,
          );
        }
      }
      // What is exported reaches every program from here on.
      const unsafe = name === 'export' && args.some(({ value, text }) => !isHarmlessExport(value ?? text));
      if (unsafe) next = { ...next, tampered: next.tampered ?? 'variables were exported before' };
      if (name === 'printf' && args.some(({ value }) => value === undefined || value.startsWith('-v'))) {
        next = { ...next, variables: withoutValues(next.variables) };
      }
      return both(next);
    }
    default:
      return both(state);
  }
}

function directoriesAfter(
  name: string,
  args: readonly Field[],
  { directories, previous }: State,
  home: string | undefined,
): readonly string[] | undefined {
  if (name !== 'cd' && name !== 'pushd') return undefined;
  const operands = args.filter(({ value }) => value === undefined || !/^(-[LPe@]+|--)$/.test(value));
  const [operand] = operands;
  if (operand === undefined) return name === 'cd' && home !== undefined ? [home] : undefined;
  if (name === 'cd' && operands.length === 1 && operand.value === '-') return previous;
  if (operands.length > 1 || operand.value === undefined || /^[-+]/.test(operand.value)) return undefined;
  const path = operand.value;
  if (args.some(({ value }) => /^-\w*P/.test(value ?? '')) && path.includes('..')) return undefined;
  if (path.startsWith('/')) return [placeIn('/', path)];
  return directories?.map((directory) => placeIn(directory, path));
}

function isHarmlessExport(text: string): boolean {
  const [, name = '', value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  return value !== undefined && isHarmlessAssignment({ name, value });
}
