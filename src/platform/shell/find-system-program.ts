// Whether a plain name refers to a system program: the first match on PATH lies in a system folder, and only root may
// change it.
import { realpathSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { neverFree, onlyReports } from './programs/never-free.js';
import { asksForHelp } from './programs/system-programs.js';

const systemFolders: ReadonlySet<string> = new Set(['/usr/bin', '/bin', '/usr/local/bin']);

export type FindSystemProgram = (words: readonly string[]) => boolean;

/** System folders are looked up once; other folders of PATH, which may shadow them, each time. */
export function systemPrograms(path: string): FindSystemProgram {
  const folders = path.split(':');
  const found = new Map<string, { isSystem: boolean; real: string }>();
  return ([name = '', ...args]) => {
    for (const folder of folders) {
      if (!folder.startsWith('/')) return false; // relative to the project
      const file = join(folder, name);
      if (!systemFolders.has(folder)) {
        if (mayExist(file)) return false;
        continue;
      }
      const known = found.get(file) ?? lookUp(folder, file);
      if (known === undefined) continue;
      found.set(file, known);
      const isItself = onlyReports(name, args) || asksForHelp(args) || neverFree(basename(known.real)) === undefined;
      return known.isSystem && isItself;
    }
    return false;
  };
}

/** An inaccessible folder shadows nothing: a shell skips it too. */
function mayExist(file: string): boolean {
  try {
    return statSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function lookUp(folder: string, file: string): { isSystem: boolean; real: string } | undefined {
  try {
    const there = statSync(file, { throwIfNoEntry: false });
    if (!there?.isFile() || (there.mode & 0o111) === 0) return undefined;
    const real = realpathSync.native(file);
    const isInSystem = /^\/(usr|bin|lib|lib64|sbin)\//.test(real);
    const areRoots = [folder, file, real, join(real, '..')].every((path) => onlyRootChanges(path));
    const runsAsOther = (statSync(real).mode & 0o6000) !== 0;
    return { isSystem: isInSystem && areRoots && !runsAsOther, real };
  } catch {
    return undefined; // a dangling symlink
  }
}

function onlyRootChanges(path: string): boolean {
  const { uid, mode } = statSync(path);
  return uid === 0 && (mode & 0o022) === 0;
}
