// Finds protected names in trees that a command copies or moves: they appear at the destination although no word
// names them.
import { type Dirent, readdirSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isFolder } from '../files/lenient-reads.js';
import { mayBeProtected } from '../files/protected-names.js';
import type { FoundAccess, FoundCommand } from './findings.js';

const MAX_ENTRIES = 5_000; // scanned for one command
const MAX_FOUND = 10; // each is asked about, so a few are enough

const COPYING: ReadonlySet<string> = new Set(['cp', 'mv', 'rsync', 'install', 'ln']);

/** The writes caused by the trees that commands copy or move. */
export function copiedNames(commands: readonly FoundCommand[], files: readonly FoundAccess[]): FoundAccess[] {
  return commands.flatMap(({ words }, index) => {
    const name = words[0]?.value;
    if (name === undefined || !COPYING.has(basename(name))) return [];
    const operands = files.filter(({ by }) => by?.command === index && by.as === 'operand');
    const sources = operands.filter(({ access, tree }) => access === 'read' && tree);
    const destinations = operands.filter(({ access, tree, removes }) => access === 'write' && tree && !removes);
    const budget = { left: MAX_ENTRIES };
    // Writes go through symlinks in the destination.
    const linked = sources.some(({ path }) => path !== undefined && isFolder(path))
      ? destinations.filter(({ path }) => path !== undefined && isFolder(path))
      : [];
    const named = sources.flatMap(({ path, text }) => {
      const found = path === undefined ? [] : namesBelow(path, budget);
      return destinations.flatMap((to): FoundAccess[] => {
        const { path: folder, by } = to;
        if (folder === undefined || !by) return []; // a write to any file is already declared
        if (found === undefined) return [{ access: 'write', text, by }]; // too many to scan
        const target = /(^|\/)\.{0,2}$/.test(path ?? '') ? folder : join(folder, basename(resolve(path ?? '')));
        return found.map((below) => ({ access: 'write', path: join(target, below), text: to.text, by }));
      });
    });
    return [...named, ...linked.map((to): FoundAccess => ({ ...to, chosen: true }))];
  });
}

/** The possibly protected paths below a folder, up to a limit; undefined if there are too many entries. */
function namesBelow(start: string, budget: { left: number }): string[] | undefined {
  const found: string[] = [];
  const left = [''];
  const seen = new Set<string>();
  for (let below = left.pop(); below !== undefined && found.length < MAX_FOUND; below = left.pop()) {
    const folder = join(start, below);
    let entries: Dirent[];
    try {
      const { dev, ino } = statSync(folder, { bigint: true });
      if (seen.has(`${dev}:${ino}`)) continue;
      seen.add(`${dev}:${ino}`);
      entries = readdirSync(folder, { withFileTypes: true });
    } catch {
      continue; // a file, missing, or unreadable: then nothing below it is copied
    }
    budget.left -= entries.length;
    if (budget.left < 0) return undefined;
    for (const entry of entries) {
      const path = join(below, entry.name);
      if (mayBeProtected(entry.name)) found.push(path);
      // A symlink may be followed.
      if (entry.isDirectory() || entry.isSymbolicLink()) left.push(path);
    }
  }
  return found;
}
