import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/**
 * The files of all sockets that programs of this machine are bound to right now. A socket can be reached through a
 * read-only mount as well, and behind it may be an agent with keys, a container engine, or a terminal to type into.
 */
export function hostSockets(
  read: () => string = () => readFileSync('/proc/net/unix', 'utf8'),
  directories: () => Iterable<string> = workingDirectories,
): string[] {
  try {
    // Seven columns, then the path, in which spaces are not escaped; `@` stands for one that is no file.
    const names = [...read().matchAll(/^(?:[0-9a-f]+: *)(?:\S+ +){6}([^@].*)$/gim)].flatMap(([, path]) => path ?? []);
    const relative = names.filter((name) => !isAbsolute(name));
    // What a relative one starts from nobody has written down; most programs stay where they were.
    const places = relative.length === 0 ? [] : [...new Set(directories())];
    const possible = relative.flatMap((name) => places.map((place) => join(place, name)));
    return [...new Set([...names.filter((name) => isAbsolute(name)), ...possible])];
  } catch {
    return []; // not Linux, or a /proc that keeps it to itself
  }
}

/** Of all processes that we may look at. */
function workingDirectories(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readlinkSync(join('/proc', pid, 'cwd'))];
      } catch {
        return []; // gone, or another user's
      }
    });
}
