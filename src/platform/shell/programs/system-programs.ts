// Programs that no table knows. One that the system brings, in a plain form, may run where the kernel confines it: it can
// then only read, and its effects list what its words may name for reading.
import { neverFree, onlyReports } from './never-free.js';
import { touch } from './options.js';
import { type Field, known, type Touch } from './program.js';

// Would fail behind walls, or run something: then the question is better than the attempt.
const wantsMore =
  /^(-[oOwice]|-x|--?(out|output|outfile|write|in-?place|save|fix|exec|execute|eval|command|cmd|plugin|load|config|rcfile|init|install|update|delete|remove|upload|send|listen|serve|daemon|shell)([-=].*)?)$/;

/** The files that a program may read by its words, where it may run behind walls at all; undefined where it may not. */
export function plainForm(name: string, args: readonly Field[]): Touch[] | undefined {
  const values = args.flatMap(({ value }) => value ?? []);
  if (!/^[A-Za-z0-9][\w.+-]*$/.test(name) || values.length < args.length) return undefined;
  if (onlyReports(name, values)) return [];
  if (neverFree(name) !== undefined || values.some((value) => wantsMore.test(value))) return undefined;
  return values.flatMap((value): Touch[] => {
    if (!value.startsWith('-')) return [...read(value), ...read(assignedValue(value))];
    return read(assignedValue(value) ?? gluedPath(value));
  });
}

const read = (path: string | undefined): Touch[] =>
  path === undefined || path === '' ? [] : touch('read', known(path.replace(/^@/, '')));

/** `--schema=a.xsd`, `name=a.txt`. */
const assignedValue = (word: string): string | undefined => /^[^=/]+=(.*)$/s.exec(word)?.[1];

/** `-Iinclude/a`, where the value is glued to a letter. */
const gluedPath = (word: string): string | undefined => /^-[A-Za-z]@?(.*[/.].*)$/s.exec(word)?.[1];
