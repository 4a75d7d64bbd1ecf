// A glob, or a list of names from another command, may contain symlinks to anywhere, so the disk is checked. If there
// are too many names to check, the result is unknown.
import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const MAX_ENTRIES = 100_000;

/** How many more names may be checked; shared by all words of a command. */
export interface LinkBudget {
  left: number;
}

export const linkBudget = (): LinkBudget => ({ left: MAX_ENTRIES });

/** The symlinks among the possible matches of an absolute glob; undefined if there are too many names to check. */
export function linksInGlob(glob: string, budget: LinkBudget = linkBudget()): string[] | undefined {
  const names = glob.split('/').filter((name) => name !== '');
  const links: string[] = [];
  const walk = (folder: string, index: number): void => {
    const name = names[index];
    if (name === undefined || budget.left < 0) return;
    const isLast = index === names.length - 1;
    if (!/[*?[(]/.test(name)) {
      if (!isLast) walk(join(folder, name.replace(/\\(.)/g, '$1')), index + 1);
      return;
    }
    const matches = nameMatcher(name);
    for (const entry of entriesOf(folder, budget)) {
      if (!matches(entry.name)) continue;
      const path = join(folder, entry.name);
      // Behind a symlink the rest of the glob could match anything, so the link itself counts.
      if (entry.isSymbolicLink()) links.push(path);
      else if (!isLast && entry.isDirectory()) walk(path, index + 1);
    }
  };
  walk('/', 0);
  return budget.left < 0 ? undefined : links;
}

/** The symlinks in a tree; undefined if it is too large to scan. */
export function linksInTree(root: string, budget: LinkBudget = linkBudget()): string[] | undefined {
  const links: string[] = [];
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined && budget.left >= 0; folder = folders.pop()) {
    for (const entry of entriesOf(folder, budget)) {
      if (entry.isSymbolicLink()) links.push(join(folder, entry.name));
      else if (entry.isDirectory()) folders.push(join(folder, entry.name));
    }
  }
  return budget.left < 0 ? undefined : links;
}

/** The target of a symlink, or undefined if it is dangling. */
export function targetOf(link: string): string | undefined {
  try {
    return realpathSync.native(link);
  } catch {
    return undefined;
  }
}

function entriesOf(folder: string, budget: LinkBudget): Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    budget.left -= entries.length + 1;
    return entries;
  } catch {
    return []; // missing, or unreadable: then no command of ours can read it either
  }
}

/** Whether a name may match; an extended glob may match any. */
function nameMatcher(glob: string): (name: string) => boolean {
  if (/[()]/.test(glob)) return () => true;
  const end = glob.lastIndexOf(']') + 1; // after it no set ends, so none begins
  const read = [
    ...glob.slice(0, end).matchAll(/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/gu),
    ...glob.slice(end).matchAll(/\\[\s\S]|[\s\S]/gu),
  ];
  const tokens = read.map(([token]) => {
    if (token === '*') return 'any';
    if (token === '?' || (token.length > 1 && token.startsWith('['))) return 'one'; // a set counts as any character
    return { character: token.replace(/^\\(?=.)/s, '') };
  });
  return (name) => matches([...name], tokens);
}

type Token = 'any' | 'one' | { character: string };

/**
 * In time proportional to the product of both lengths: a regular expression with many stars would backtrack forever.
 */
function matches(name: readonly string[], tokens: readonly Token[]): boolean {
  let star = -1;
  let retry = 0;
  let token = 0;
  for (let at = 0; at < name.length; ) {
    const wanted = tokens[token];
    if (wanted === 'any') {
      star = token;
      retry = at;
      token += 1;
    } else if (wanted === 'one' || (wanted !== undefined && wanted.character === name[at])) {
      token += 1;
      at += 1;
    } else if (star >= 0) {
      retry += 1;
      at = retry;
      token = star + 1;
    } else {
      return false;
    }
  }
  return tokens.slice(token).every((left) => left === 'any');
}
