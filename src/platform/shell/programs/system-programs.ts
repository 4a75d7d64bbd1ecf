// Programs that no table knows. One that the system brings, in a plain form, may run where the kernel confines it: it can
// then only read, and its effects list what its words may name for reading.
import { neverFree, onlyReports } from './never-free.js';
import { touch } from './options.js';
import { type Field, known, type Touch } from './program.js';

/**
 * The files that a program may read by its words, where it may run behind walls at all; undefined where it may not. Its
 * options are not known, and one of them may load code, so it gets none but questions about itself.
 */
export function plainForm(name: string, args: readonly Field[]): Touch[] | undefined {
  const values = args.flatMap(({ value }) => value ?? []);
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(name) || values.length < args.length) return undefined;
  if (onlyReports(name, values) || asksForHelp(values)) return [];
  if (neverFree(name) !== undefined) return undefined;
  if (values.length === 1 && /^-[Vh]$/.test(values[0] ?? '')) return [];
  if (values.some((value) => /^[-+@]|=/.test(value))) return undefined;
  // What it does with a folder is not known, so all that is in it counts.
  return values.filter((value) => value !== '').flatMap((value) => touch('read-tree', known(value)));
}

/** Any program at all may be asked what it is, as long as that is all. */
export const asksForHelp = (words: readonly string[]): boolean =>
  words.length === 1 && /^--(version|help)$/.test(words[0] ?? '');
