// The state of the shell at one point of a command, as far as the text shows: its directory, variables and functions;
// and how builtins change it for later commands.
import { isHarmlessAssignment } from './assignments.js';
import { type Descriptors, joinDescriptors, processPath } from './descriptors.js';
import { resolveIn, type Value } from './expand-word.js';
import { storesCount } from './printf-format.js';
import { type Call, type PipedNames, type ShellField, wordOfNames } from './programs/program.js';
import type { Input } from './standard-input.js';

const MAX_DIRECTORIES = 4; // that a command may be in
const MAX_VARIABLES = 200; // each step copies them

/** The state of the shell at one point of the command. Immutable: each step creates a new one. */
export interface State {
  /** The possible directories; undefined if they are unknown. */
  directories: readonly string[] | undefined;
  variables: ReadonlyMap<string, Value | undefined>;
  /** Functions that are certainly defined, and those that may be. */
  functions: ReadonlyMap<string, 'defined' | 'maybe'>;
  /** Why programs may no longer be what their names say. */
  tampered: string | undefined;
  /** The file names on standard input. */
  piped: PipedNames | undefined;
  /** The text on standard input. */
  input: Input;
  descriptors: Descriptors;
  /** The target of `cd -`. */
  previous: readonly string[] | undefined;
}

/** The state after a command that succeeded, and after one that failed. */
export interface Outcome {
  ok: State;
  fail: State;
}

export const both = (state: State): Outcome => ({ ok: state, fail: state });

/** The same if a function, a script or a builtin may have set any variable. */
export const withoutValues = (variables: State['variables']): State['variables'] =>
  new Map([...variables].map(([name]) => [name, undefined]));

export function withVariable(state: State, name: string, value: Value | undefined): State {
  // A variable that is not kept counts as unknown.
  if (state.variables.size >= MAX_VARIABLES && !state.variables.has(name)) return state;
  return { ...state, variables: new Map([...state.variables, [name, value]]) };
}

export const without = (
  variables: ReadonlyMap<string, Value | undefined>,
  names: ReadonlySet<string>,
): ReadonlyMap<string, Value | undefined> =>
  new Map([...variables, ...[...names].map((name) => [name, undefined] as const)]);

export const maybeFunctions = (functions: State['functions']): State['functions'] =>
  new Map([...functions].map(([name]) => [name, 'maybe' as const]));

/** Joins two branches of the command. */
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
    input: a.input === b.input ? a.input : 'unknown',
    descriptors: joinDescriptors(a.descriptors, b.descriptors),
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

/** How builtins change the state for later commands. */
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
      const names = args.filter(({ value, text }) => /^[A-Za-z_]\w*(=|$|\[|\+=)/.test(value ?? text));
      for (const { value, text } of name === 'printf' ? [] : names) {
        const target = /^\w+/.exec(value ?? text)?.[0] ?? '';
        const isName = name === 'read' && names.length === 1 && value === target;
        const field =
          isName && piped ? wordOfNames(text, piped, { atNul: readsToNul(args), splits: false }) : undefined;
        next = withVariable(next, target, field && [field]);
      }
      // An exported variable reaches every later program.
      const unsafe = name === 'export' && args.some(({ value, text }) => !isHarmlessExport(value ?? text));
      if (unsafe) next = { ...next, tampered: next.tampered ?? 'variables were exported before' };
      if (name === 'printf' && args.some(({ value }) => value?.startsWith('-v') || storesCount(value))) {
        next = { ...next, variables: withoutValues(next.variables) };
      }
      return both(next);
    }
    default:
      return both(state);
  }
}

/** `read -r -d ''` gets each name unchanged, if NUL ends it. */
function readsToNul(args: readonly ShellField[]): boolean {
  const values = args.map(({ value }) => value);
  return (
    values.some((value, index) => value === '' && /^-\w*d$/.test(values[index - 1] ?? '')) &&
    values.some((value) => /^-\w*r/.test(value ?? ''))
  );
}

function directoriesAfter(
  name: string,
  args: readonly ShellField[],
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
  const folders = path.startsWith('/')
    ? [resolveIn('/', path)]
    : directories?.map((directory) => resolveIn(directory, path));
  // Below such a name each process finds something else, and the shell follows it itself.
  return folders?.some((folder) => /^\/proc(\/|$)/.test(folder) || processPath(folder) !== undefined)
    ? undefined
    : folders;
}

function isHarmlessExport(text: string): boolean {
  const [, name = '', value] = /^([A-Za-z_]\w*)(?:=(.*))?$/s.exec(text) ?? [];
  return value !== undefined && isHarmlessAssignment({ name, value });
}
