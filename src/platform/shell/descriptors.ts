// The files behind the shell's descriptors. A name such as /dev/fd/3 or /proc/self/fd/3 reopens the file behind the
// descriptor, even for writing if it was opened for reading, so these names have to be traced back to files.
import { posix } from 'node:path';

/** A file that a descriptor may refer to; without a path it is unknown which. */
export interface OpenFile {
  path?: string;
}

/**
 * `output`: the command's own output. `input`: its own input, or a file that other effects already name: free to
 * read, not to write. `pipe`: a pipe or a here-document, which is no file. Otherwise one of these files.
 */
export type Opened = 'output' | 'input' | 'pipe' | readonly OpenFile[];

/** By number. A missing descriptor may be anything. */
export type Descriptors = ReadonlyMap<number, Opened>;

const MAX_FILES = 8; // that one descriptor may refer to

/** The descriptors of a command that has just started. */
export const ownDescriptors: Descriptors = new Map<number, Opened>([
  [0, 'input'],
  [1, 'output'],
  [2, 'output'],
]);

/** For unknown redirections, as in the body of a function. */
export const anyDescriptors: Descriptors = new Map<number, Opened>([
  [0, 'input'],
  [1, 'input'],
  [2, 'input'],
]);

export function withDescriptor(descriptors: Descriptors, number: number, opened: Opened | undefined): Descriptors {
  const next = new Map(descriptors);
  if (opened === undefined) next.delete(number);
  else next.set(number, opened);
  return next;
}

/** The descriptors where two branches of the command join. */
export function joinDescriptors(a: Descriptors, b: Descriptors): Descriptors {
  if (a === b) return a;
  const joined = new Map<number, Opened>();
  for (const [number, one] of a) {
    const other = b.get(number);
    const opened = other === undefined ? undefined : joinOpened(one, other);
    if (opened !== undefined) joined.set(number, opened);
  }
  return joined;
}

function joinOpened(one: Opened, other: Opened): Opened | undefined {
  if (one === other) return one;
  if (typeof one === 'string' || typeof other === 'string') {
    const areStreams = [one, other].every((opened) => opened === 'output' || opened === 'pipe');
    return areStreams ? 'pipe' : undefined;
  }
  const files = [...one, ...other.filter(({ path }) => !one.some((file) => file.path === path))];
  return files.length > MAX_FILES ? undefined : files;
}

/** After a command with its own redirections: these descriptors are restored. */
export function restored(after: Descriptors, before: Descriptors, touched: ReadonlySet<number>): Descriptors {
  let next = after;
  for (const number of touched) next = withDescriptor(next, number, before.get(number));
  return next;
}

/** A path that means something else to each process. */
export type ProcessPath =
  | { descriptor: number; rest: string }
  | { directory: 'current' | 'root'; rest: string }
  | 'unknown';

const streams: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/** The meaning of an absolute path that refers to the process that opens it. */
export function processPath(path: string): ProcessPath | undefined {
  const normal = posix.normalize(path).replace(/^\/\//, '/');
  const stream = streams.get(normal);
  if (stream !== undefined) return { descriptor: stream, rest: '' };
  const inProcess = /^\/(?:dev\/fd|proc\/[^/]+)(?=\/)(.*)$/s.exec(path);
  if (inProcess?.[1]?.split('/').includes('..')) return 'unknown'; // `..` behind a symlink leads elsewhere
  const [, digits, rest = ''] = /^\/(?:dev|proc\/(?:self|thread-self))\/fd\/(\d+)((?:\/.*)?)$/s.exec(normal) ?? [];
  if (digits !== undefined) {
    return /^(0|[1-9]\d{0,5})$/.test(digits) ? { descriptor: Number(digits), rest } : 'unknown';
  }
  const [, name, below = ''] = /^\/proc\/(?:self|thread-self)\/(cwd|root)((?:\/.*)?)$/s.exec(normal) ?? [];
  if (name !== undefined) return { directory: name === 'cwd' ? 'current' : 'root', rest: below };
  const isOther = /^\/proc\/(?:self|thread-self|\d+)\/(?:fd|cwd|root|task|map_files|exe|mem)(?:\/|$)/.test(normal);
  return isOther && !/^\/proc\/[^/]+\/fd\/?$/.test(normal) ? 'unknown' : undefined;
}
