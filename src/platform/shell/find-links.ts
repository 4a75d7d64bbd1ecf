// A glob, or a list of names that another command gives, may hold links that lead anywhere. Which ones is on the disk, so
// it is looked up there. More than can be looked at counts as not known.
import { type Dirent, readdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

const MAX_ENTRIES = 100_000;

/** How many names may still be looked at; one for all that a command names. */
export interface LinkBudget {
  left: number;
}

export const linkBudget = (): LinkBudget => ({ left: MAX_ENTRIES });

/** The links among what a shell glob, absolute, may stand for; undefined where there are too many names to look at. */
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
      // Behind a link there is no end of what the rest of the glob could name, so the link itself counts.
      if (entry.isSymbolicLink()) links.push(path);
      else if (!isLast && entry.isDirectory()) walk(path, index + 1);
    }
  };
  walk('/', 0);
  return budget.left < 0 ? undefined : links;
}

/** The links in a tree; undefined where it is too large to be looked through. */
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

/** Where a link leads, or undefined where that is nowhere. */
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
    return []; // not there, or not ours to read: then no command of ours reads it either
  }
}

/** Whether a name may be meant; an extended glob may mean any. */
function nameMatcher(glob: string): (name: string) => boolean {
  if (/[()]/.test(glob)) return () => true;
  const tokens = [...glob.matchAll(/\\[\s\S]|\[[!^]?\]?[^\]]*\]|[\s\S]/gu)].map(([token]) => {
    if (token === '*') return 'any';
    if (token === '?' || (token.length > 1 && token.startsWith('['))) return 'one'; // a set counts as any character
    return { character: token.replace(/^\\(?=.)/s, '') };
  });
  return (name) => matches([...name], tokens);
}

type Token = 'any' | 'one' | { character: string };

/** In time that grows with the product of both lengths: a regular expression with many stars would never come back. */
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
