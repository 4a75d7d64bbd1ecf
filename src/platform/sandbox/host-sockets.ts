import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';

/**
 * The files of all Unix sockets that programs on this machine are bound to. A socket can be reached through a
 * read-only mount too, and may belong to a key agent, a container engine or a terminal multiplexer.
 */
export function hostSockets(
  read: () => string = () => readFileSync('/proc/net/unix', 'utf8'),
  directories: () => Iterable<string> = workingDirectories,
): string[] {
  try {
    // Seven columns, then the path, in which spaces are not escaped; `@` marks an abstract socket, which has no file.
    const names = [...read().matchAll(/^(?:[0-9a-f]+: *)(?:\S+ +){6}([^@].*)$/gim)].flatMap(([, path]) => path ?? []);
    const relative = names.filter((name) => !isAbsolute(name));
    // The directory that a relative path was resolved against is not recorded; most programs never change theirs.
    const places = relative.length === 0 ? [] : [...new Set(directories())];
    const possible = relative.flatMap((name) => places.map((place) => join(place, name)));
    return [...new Set([...names.filter((name) => isAbsolute(name)), ...possible])];
  } catch {
    return []; // not Linux, or a restricted /proc
  }
}

/** The working directories of all processes that we may inspect. */
function workingDirectories(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readlinkSync(join('/proc', pid, 'cwd'))];
      } catch {
        return []; // gone, or owned by another user
      }
    });
}
