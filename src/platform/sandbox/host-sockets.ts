import { readFileSync } from 'node:fs';

/**
 * The files of all sockets that programs of this machine are bound to right now. A socket can be reached through a
 * read-only mount as well, and behind it may be an agent with keys, a container engine, or a terminal to type into.
 */
export function hostSockets(read: () => string = () => readFileSync('/proc/net/unix', 'utf8')): string[] {
  try {
    // Seven columns, then the path, in which spaces are not escaped.
    return [...new Set([...read().matchAll(/^(?:\S+ +){7}(\/.*)$/gm)].flatMap(([, path]) => path ?? []))];
  } catch {
    return []; // not Linux, or a /proc that keeps it to itself
  }
}
