// Symlinks through a folder of /proc mean something else to each process. Resolved here, they would name files of
// this process, not of the command.
import { readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

const MAX_LINKS = 40; // the kernel's limit

/** Whether a path, while its symlinks are resolved, reaches a descriptor, the directory or the root of a process. */
export function leadsThroughProcess(path: string): boolean {
  const left = path.split('/').reverse();
  let current = '/';
  let links = 0;
  for (let name = left.pop(); name !== undefined; name = left.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      current = dirname(current);
      continue;
    }
    current = join(current, name);
    if (/^\/proc\/(self|thread-self|\d+)\/(fd|cwd|root|task|map_files|exe)$/.test(current)) return true;
    const target = linkAt(current);
    if (target === undefined) continue;
    links += 1;
    if (links > MAX_LINKS) return true;
    left.push(...target.split('/').reverse());
    current = target.startsWith('/') ? '/' : dirname(current);
  }
  return false;
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // not a symlink, or missing
  }
}
