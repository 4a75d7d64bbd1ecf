// The types of the program tables. A table lists what a program may do, never what it may not: an option or an
// operand that no table mentions makes the command unknown.

import type { HostFacts } from '../../../contract/effect.js';

/** One word of a command, as far as it is known before it runs. */
export interface ShellField {
  /** In the shell's quoting: requoted if the value is known, else as written. */
  text: string;
  /** After expansion and quote removal; absent if it is unknown. */
  value?: string;
  /** Whether a program may parse it, or one of the words that it expands to, as an option. */
  mayBeOption: boolean;
  /** Whether it may expand to several words, or none. */
  splits: boolean;
  /** For an unknown word that can only name certain files: those. */
  pathSpecs?: readonly PathSpec[];
  /**
   * Made of names that may be split at blanks, quotes or newlines: it may be any word, but `pathSpecs` shows where the
   * files lie.
   */
  anyWords?: boolean;
  /** A single variable that holds a number, if it is set. */
  isNumber?: boolean;
}

/** A file, or with `tree` everything below it; relative to the command's directory. */
export interface PathSpec {
  path: string;
  tree?: boolean;
  /** The glob that names files below `path`. */
  pattern?: string;
}

/** A file that a program touches through one of its words. */
export interface Touch {
  access: 'read' | 'write';
  file: ShellField;
  tree?: boolean;
  listing?: boolean;
  removes?: boolean;
  /** The write replaces the content of an existing file. */
  replaces?: boolean;
  /** For a tree: only the results of a search in it, not all of it. */
  found?: boolean;
  /** Symlinks in the tree are followed, wherever they lead. */
  followsLinks?: boolean;
}

/** A program or script that a program starts. */
export type Started =
  | { words: readonly ShellField[]; assigns?: readonly Assigned[]; in?: ShellField; sameShell?: boolean }
  | { script: string; dialect: 'bash' | 'posix' | 'other'; sameShell?: boolean };

export interface Assigned {
  name: string;
  value?: string;
}

export interface ProgramVerdict {
  /** Why it is not harmless; absent when it is. */
  why?: string;
  touches?: readonly Touch[];
  starts?: readonly Started[];
  /** It runs its standard input: a shell script, or a program in a language that is not analysed. */
  programOnInput?: 'bash' | 'posix' | 'other' | 'code';
  /** With `programOnInput`: the script runs in this shell. */
  inThisShell?: boolean;
  /** It runs the content of another descriptor or a process substitution. */
  programOnStream?: boolean;
  /** An unknown program may run. */
  unknown?: string;
  /** Files that the output names, one per line: for `xargs` in a pipe. */
  prints?: readonly PathSpec[];
  /** It prints lines of its standard input unchanged. */
  passesNames?: boolean;
  /** Harmless by this table, but in a form too intricate to run unconfined without a question. */
  needsWalls?: boolean;
  /** URLs that it connects to, if its words name a host. */
  network?: readonly string[];
  /** Facts about the host that it reports and that full confinement would hide. */
  observes?: HostFacts;
  /** None of its options names a file or does more than print, so an unknown word may be any of them. */
  takesAnyOption?: boolean;
}

export interface Call {
  name: string;
  /** The words after the name. */
  args: readonly ShellField[];
  /** The file names on standard input, if it comes from a program with known output. */
  piped?: PipedNames;
}

/** File names that another program prints. */
export interface PipedNames {
  pathSpecs: readonly PathSpec[];
  /** Only NUL separates them reliably: a reader that splits at NUL alone gets each name in one piece. */
  whole: boolean;
  /** A name may begin with a dash. */
  mayBeOption: boolean;
}

export interface Program {
  names: readonly string[];
  judge(call: Call): ProgramVerdict;
  /** Commands that must be harmless, and commands that must not be; one test runs them all. */
  examples: { harmless: readonly string[]; not: readonly string[] };
}

export const known = (value: string): ShellField => ({
  text: quoteWord(value),
  value,
  mayBeOption: value.startsWith('-'),
  splits: false,
});

/** The word as a person would type it, quoted only if necessary. */
export function quoteWord(value: string): string {
  const isPlain = /^[\w\p{L}\p{N}@%+:,./^~{}=!#-]+$/u.test(value) && !/^[~=#]|^[{}!]$/.test(value);
  const hasBraces = value.includes('{') && (value.includes(',') || value.includes('..'));
  if ((isPlain && !hasBraces) || value === '[' || value === ']') return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}

export const notHarmless = (why: string, more: Omit<ProgramVerdict, 'why'> = {}): ProgramVerdict => ({ why, ...more });

/** One or more words made of names that were read up to a separator: NUL for `whole` names, else blanks or newlines. */
export function wordOfNames(
  text: string,
  piped: PipedNames,
  { atNul, splits }: { atNul: boolean; splits: boolean },
): ShellField {
  const { pathSpecs, whole, mayBeOption } = piped;
  return whole && atNul
    ? { text, mayBeOption, splits, pathSpecs }
    : { text, mayBeOption: true, splits, pathSpecs, anyWords: true };
}
