// Redirections, in the order in which the shell applies them: the files they open, and the descriptors after each.
import type { Redirection, SyntaxNode, Word } from 'unbash';
import { type Descriptors, type Opened, type OpenFile, processPath, withDescriptor } from './descriptors.js';
import { known, type ShellField, type Touch } from './programs/program.js';
import type { State } from './shell-state.js';
import { type Input, textOfHereDoc } from './standard-input.js';

export interface RedirectionsPort {
  inside(node: SyntaxNode, state: State): void;
  value(word: Word, state: State): ShellField;
  /** A variable that a redirection sets: `{x}<file`. */
  sets(name: string): void;
}

export interface Redirected {
  /** The opened files, each with the descriptors at that moment. */
  targets: ReadonlyArray<{ touch: Touch; state: State }>;
  /** The state in which the command runs. */
  inside: State;
  touched: ReadonlySet<number>;
}

export function redirected(redirections: readonly Redirection[], before: State, port: RedirectionsPort): Redirected {
  const targets: Array<{ touch: Touch; state: State }> = [];
  const touched = new Set<number>();
  let state = before;
  const put = (number: number, opened: Opened | undefined, input?: Input): void => {
    touched.add(number);
    const descriptors = withDescriptor(state.descriptors, number, opened);
    state = { ...state, descriptors, ...(number === 0 && { piped: undefined, input }) };
  };
  const open = (access: Touch['access'], file: ShellField, replaces = false): void => {
    targets.push({ touch: { access, file: withoutGuess(file), ...(replaces && { replaces }) }, state });
  };
  for (const redirection of redirections) {
    const { descriptor, operator } = redirection;
    if (descriptor?.type === 'FileDescriptorVariable') port.sets(descriptor.name);
    // A descriptor chosen by the shell is 10 or more, and those are never tracked.
    const number =
      descriptor?.type === 'FileDescriptor' ? descriptor.value : descriptor ? undefined : defaultOf(operator);
    if (redirection.type === 'HereDoc') {
      port.inside(redirection.body, state);
      if (number !== undefined) put(number, 'pipe', textOfHereDoc(redirection));
      continue;
    }
    const { target } = redirection;
    if (target === undefined) continue;
    const file = port.value(target, state);
    if (redirection.type === 'HereString') {
      const { value } = file;
      const input = value === undefined ? 'unknown' : { text: `${value}\n` };
      if (number !== undefined) put(number, 'pipe', input);
      continue;
    }
    const copied = operator === '>&' || operator === '<&' ? /^(\d+)?(-?)$/.exec(file.value ?? '!') : null;
    if (copied && file.value !== '') {
      const source = copied[1] === undefined ? undefined : Number(copied[1]);
      const opened = source === undefined ? undefined : state.descriptors.get(source);
      if (source !== undefined && opened === undefined) {
        open(operator === '>&' ? 'write' : 'read', { ...known(`/dev/fd/${source}`), text: `&${source}` });
      }
      if (number !== undefined) put(number, opened, source === 0 ? state.input : 'unknown');
      if (source !== undefined && copied[2] === '-') put(source, undefined);
      continue;
    }
    if (operator !== '<' && operator !== '<&') open('write', file, !/^(>>|&>>|<>)$/.test(operator));
    if (operator === '<' || operator === '<&' || operator === '<>') open('read', file);
    const opened = openedBy(file, state);
    // A file counts as read, as if it were an operand.
    if (number !== undefined) put(number, opened, typeof opened === 'object' ? undefined : 'unknown');
    const isBoth = operator === '&>' || operator === '&>>' || (operator === '>&' && descriptor === undefined);
    if (isBoth) put(2, opened);
  }
  return { targets, inside: state, touched };
}

/** A name from a pipe may be any file, regardless of the program that printed it. */
export function withoutGuess(file: ShellField): ShellField {
  if (!file.anyWords) return file;
  const { pathSpecs: _, anyWords: __, ...rest } = file;
  return rest;
}

const defaultOf = (operator: string): number => (operator.startsWith('<') ? 0 : 1);

/** The file on a descriptor after this was opened on it; undefined if it may be anything. */
function openedBy(file: ShellField, { directories, descriptors }: State): Opened | undefined {
  const pathSpecs = file.value === undefined ? withoutGuess(file).pathSpecs : [{ path: file.value }];
  if (pathSpecs === undefined || pathSpecs.some(({ tree, pattern }) => tree || pattern !== undefined)) return undefined;
  if (pathSpecs.length === 0) return 'pipe'; // a process substitution
  const [first] = pathSpecs;
  if (pathSpecs.length === 1 && first?.path.startsWith('/')) {
    const special = processPath(first.path);
    if (special !== undefined) return behind(special, descriptors);
  }
  const paths = pathSpecs.flatMap(({ path }) =>
    path.startsWith('/') ? [path] : (directories?.map((directory) => `${directory}/${path}`) ?? [undefined]),
  );
  const isPlain = paths.every((path) => path !== undefined && processPath(path) === undefined);
  return isPlain ? paths.map((path): OpenFile => (path === undefined ? {} : { path })) : undefined;
}

function behind(place: NonNullable<ReturnType<typeof processPath>>, descriptors: Descriptors): Opened | undefined {
  return typeof place === 'object' && 'descriptor' in place && place.rest === ''
    ? descriptors.get(place.descriptor)
    : undefined;
}
