// Programs without a table. A system program in a plain form may run if the kernel confines it: it can then only
// read, and its effects list the files that its words may name.
import { neverFree, onlyReports } from './never-free.js';
import { touch } from './options.js';
import { known, type ShellField, type Touch } from './program.js';

/**
 * The files that a program may read by its words, if it may run confined at all; undefined if it may not. Its options
 * are unknown, and one of them may load code, so only `--version` and the like are accepted.
 */
export function plainForm(name: string, args: readonly ShellField[]): Touch[] | undefined {
  const values = args.flatMap(({ value }) => value ?? []);
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(name) || values.length < args.length) return undefined;
  if (onlyReports(name, values) || asksForHelp(values)) return [];
  if (neverFree(name) !== undefined) return undefined;
  if (values.length === 1 && /^-[Vh]$/.test(values[0] ?? '')) return [];
  if (values.some((value) => /^[-+@]|=/.test(value))) return undefined;
  // Its handling of a folder is unknown, so everything in it counts.
  return values.filter((value) => value !== '').flatMap((value) => touch('read-tree', known(value)));
}

/** Any program may be asked for its version or help, if that is the only word. */
export const asksForHelp = (words: readonly string[]): boolean =>
  words.length === 1 && /^--(version|help)$/.test(words[0] ?? '');
