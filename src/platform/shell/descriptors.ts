// What is open on the shell's file descriptors. A name such as /dev/fd/3 or /proc/self/fd/3 opens the file behind the
// descriptor again, for writing too where it was opened for reading, so the names have to be traced back to files.
import { posix } from 'node:path';

/** A file that a descriptor may stand for; without a path it can't be known which. */
export interface OpenFile {
  path?: string;
}

/**
 * `output`: the command's own output. `input`: its own input, or anything that other effects name already: free to read,
 * not to write. `pipe`: a pipe or a here-document, which leads to no file. Else one of these files.
 */
export type Opened = 'output' | 'input' | 'pipe' | readonly OpenFile[];

/** By number. A descriptor that is missing may be anything. */
export type Descriptors = ReadonlyMap<number, Opened>;

const MAX_FILES = 8; // that one descriptor may stand for

/** Of a command that has just started. */
export const ownDescriptors: Descriptors = new Map<number, Opened>([
  [0, 'input'],
  [1, 'output'],
  [2, 'output'],
]);

/** Where the redirections that hold are not known, as in the body of a function. */
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

/** What is open where two ways through the command meet. */
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

/** After a command whose own redirections ended with it: these descriptors are what they were before. */
export function restored(after: Descriptors, before: Descriptors, touched: ReadonlySet<number>): Descriptors {
  let next = after;
  for (const number of touched) next = withDescriptor(next, number, before.get(number));
  return next;
}

/** A name that means something else to each process. */
export type ProcessPath =
  | { descriptor: number; rest: string }
  | { directory: 'current' | 'root'; rest: string }
  | 'unknown';

const streams: ReadonlyMap<string, number> = new Map([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
]);

/** What a path, absolute, stands for where it names something of the process that opens it. */
export function processPath(path: string): ProcessPath | undefined {
  const normal = posix.normalize(path).replace(/^\/\//, '/');
  const stream = streams.get(normal);
  if (stream !== undefined) return { descriptor: stream, rest: '' };
  const inProcess = /^\/(?:dev\/fd|proc\/[^/]+)(?=\/)(.*)$/s.exec(path);
  if (inProcess?.[1]?.split('/').includes('..')) return 'unknown'; // goes up from where a link leads
  const [, digits, rest = ''] = /^\/(?:dev|proc\/(?:self|thread-self))\/fd\/(\d+)((?:\/.*)?)$/s.exec(normal) ?? [];
  if (digits !== undefined) {
    return /^(0|[1-9]\d{0,5})$/.test(digits) ? { descriptor: Number(digits), rest } : 'unknown';
  }
  const [, name, below = ''] = /^\/proc\/(?:self|thread-self)\/(cwd|root)((?:\/.*)?)$/s.exec(normal) ?? [];
  if (name !== undefined) return { directory: name === 'cwd' ? 'current' : 'root', rest: below };
  const isOther = /^\/proc\/(?:self|thread-self|\d+)\/(?:fd|cwd|root|task|map_files|exe|mem)(?:\/|$)/.test(normal);
  return isOther && !/^\/proc\/[^/]+\/fd\/?$/.test(normal) ? 'unknown' : undefined;
}
