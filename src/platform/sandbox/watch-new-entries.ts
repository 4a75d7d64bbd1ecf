import { readlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { namesIn } from '../files/lenient-reads.js';
import { mayBeProtected } from '../files/protected-names.js';
import { listSome } from '../text/counted.js';
import { moveAside, orExplain, restoreLink } from './placeholders.js';
import { contains, realOf } from './plan-access.js';

const MAX_NAMED = 5; // in a sentence

export interface NewEntryWatch {
  /**
   * Moves aside entries that appeared at protected paths, and returns sentences about those and other unexpected
   * names.
   */
  ended(): Promise<string[]>;
}

/** Finds entries that a command created in folders that had to be opened, beyond those it was allowed to create. */
export function watchNewEntries(
  { extendable, expected }: { extendable: readonly string[]; expected: readonly string[] },
  { missing, links }: { missing: readonly string[]; links: readonly string[] },
): NewEntryWatch {
  const targets = new Map(links.map((path) => [path, readlinkSync(path)]));
  const before = new Map(
    extendable.flatMap((folder) => realOf(folder) ?? []).map((folder) => [folder, new Set(namesIn(folder))]),
  );
  const isExpected = (path: string): boolean =>
    expected.some((other) => contains(path, other) || contains(other, path));
  return {
    async ended() {
      const appeared = [...before].flatMap(([folder, names]) =>
        namesIn(folder)
          .filter((name) => !names.has(name))
          .map((name) => join(folder, name)),
      );
      const isGuarded = (path: string): boolean => !isExpected(path) && mayBeProtected(basename(path));
      const planted = [...new Set([...missing, ...appeared.filter(isGuarded)])];
      const aside = [
        ...(await Promise.all(planted.map((path) => orExplain(path, () => moveAside(path))))),
        ...(await Promise.all([...targets].map(([path, target]) => orExplain(path, () => restoreLink(path, target))))),
      ];
      const unexpected = appeared.filter((path) => !isExpected(path) && !planted.includes(path));
      return [...aside.flat(), ...(unexpected.length > 0 ? [unexpectedNote(unexpected)] : [])];
    },
  };
}

const unexpectedNote = (paths: readonly string[]): string =>
  `${listSome(paths, MAX_NAMED)} appeared while the command ran, and the command was not expected to make it. Another program may have; look at it before you use it.`;
