import { readFileSync, statfsSync } from 'node:fs';
import { isInside } from './paths.js';

// Their files are made up by the kernel as they are read: some never end, some wait for ever, and some hold the secrets
// of running programs. By the numbers that Linux gives them, wherever they are mounted.
const names: ReadonlyMap<number, string> = new Map([
  [0x9fa0, 'proc'],
  [0x62656572, 'sysfs'],
  [0x1cd1, 'devpts'],
  [0x27e0eb, 'cgroup'],
  [0x63677270, 'cgroup2'],
  [0x64626720, 'debugfs'],
  [0x74726163, 'tracefs'],
  [0x73636673, 'securityfs'],
  [0x62656570, 'configfs'],
  [0xcafe4a11, 'bpf'],
  [0x42494e4d, 'binfmt_misc'],
  [0x65735543, 'fusectl'],
  [0xf97cff8c, 'selinuxfs'],
  [0x19800202, 'mqueue'],
  [0x6165676c, 'pstore'],
  [0xde5e81e4, 'efivarfs'],
  [0x6e736673, 'nsfs'],
]);

const folders = ['/proc', '/sys', '/dev'];
const sharedMemory = '/dev/shm'; // ordinary files in memory, used as a temporary folder

/** The kernel's own file system that a real path lies in, as messages call it; undefined for files that somebody wrote. */
export function pseudoFileSystem(real: string): string | undefined {
  if (process.platform === 'win32') return undefined;
  const folder = folders.find((one) => isInside(one, real));
  if (folder && !isInside(sharedMemory, real)) return folder;
  try {
    return names.get(statfsSync(real).type);
  } catch {
    return undefined; // not there, or not ours to look at: opening it will tell
  }
}

const trees = ['/proc', '/sys']; // also where the list of mounts can't be read

/** The kernel's own file systems below a real path, none of them inside another, by absolute path. */
export function pseudoFoldersBelow(real: string): string[] {
  if (process.platform === 'win32') return [];
  const below = [...new Set([...trees, ...pseudoMounts()])].filter((one) => one !== real && isInside(real, one));
  return below.filter((one) => !below.some((other) => other !== one && isInside(other, one))).sort();
}

function pseudoMounts(): string[] {
  const types = new Set(names.values());
  return mountLines().flatMap((line) => {
    const [place = '', system = ''] = line.split(' - ');
    const path = place.split(' ')[4];
    return path !== undefined && types.has(system.split(' ')[0] ?? '') ? [unescaped(path)] : [];
  });
}

function mountLines(): string[] {
  try {
    return readFileSync('/proc/self/mountinfo', 'utf8').split('\n');
  } catch {
    return []; // no Linux
  }
}

/** The kernel writes blanks and backslashes of a path as octal numbers. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
