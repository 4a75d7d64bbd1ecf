// What the tables of known programs are written in. A table says what a program may do, never what it may not: an
// option or an operand that no table mentions makes the command one that nothing is known of.

import type { HostFacts } from '../../../contract/effect.js';

/** One word of a command, as far as it can be known before it runs. */
export interface Field {
  /** In the shell's quoting: requoted where the value is known, else as written. */
  text: string;
  /** After expansion and quote removal; absent where it can't be known. */
  value?: string;
  /** Whether a program may take it, or one of the words that come of it, for an option. */
  mayBeOption: boolean;
  /** Whether it may become several words, or none. */
  splits: boolean;
  /** Where it is not known but can only name certain files: those. */
  pathSpecs?: readonly PathSpec[];
  /** Made of names that blanks, quotes or newlines in them may split: any word at all, though `pathSpecs` says where the files lie. */
  anyWords?: boolean;
  /** A variable by itself that holds nothing but a number, if it is set. */
  isNumber?: boolean;
}

/** A file, or where `tree` is set all that lies below; relative to the directory that the command runs in. */
export interface PathSpec {
  path: string;
  tree?: boolean;
  /** The glob that names files below `path`. */
  pattern?: string;
}

/** A file that a program touches through one of its words. */
export interface Touch {
  access: 'read' | 'write';
  file: Field;
  tree?: boolean;
  listing?: boolean;
  removes?: boolean;
  /** Of a tree: only what a search finds in it, not all of it. */
  found?: boolean;
  /** Links in the tree are followed, wherever they lead. */
  followsLinks?: boolean;
}

/** Something that a program starts in turn. */
export type Started =
  | { words: readonly Field[]; assigns?: readonly Assigned[]; in?: Field; sameShell?: boolean }
  | { script: string; dialect: 'bash' | 'posix' | 'other'; sameShell?: boolean };

export interface Assigned {
  name: string;
  value?: string;
}

export interface Verdict {
  /** Why it is not harmless; absent when it is. */
  why?: string;
  touches?: readonly Touch[];
  starts?: readonly Started[];
  /** Something that nothing is known of may run. */
  unknown?: string;
  /** Files that the output names, one each line: for `xargs` behind a pipe. */
  prints?: readonly PathSpec[];
  /** It prints lines of its standard input as they are. */
  passesNames?: boolean;
  /** Harmless by this table, but in a form too intricate to run unconfined without a question. */
  needsWalls?: boolean;
  /** URLs that it reaches, as far as its words name a host. */
  network?: readonly string[];
  /** What it reports about the host that full confinement would hide. */
  observes?: HostFacts;
  /** No option that it has names a file or does more than print, so a word may turn out to be any of them. */
  takesAnyOption?: boolean;
}

export interface Call {
  name: string;
  /** The words after the name. */
  args: readonly Field[];
  /** What standard input names, where it comes from a program whose output is known. */
  piped?: PipedNames;
}

/** Names of files that another program prints. */
export interface PipedNames {
  pathSpecs: readonly PathSpec[];
  /** Only NUL separates them for certain: a reader that splits at NUL alone gets each name in one piece. */
  whole: boolean;
  /** A name may begin with a dash. */
  mayBeOption: boolean;
}

export interface Program {
  names: readonly string[];
  judge(call: Call): Verdict;
  /** Commands that must be harmless, and commands that must not; one test runs them all. */
  examples: { harmless: readonly string[]; not: readonly string[] };
}

export const known = (value: string): Field => ({
  text: quoteWord(value),
  value,
  mayBeOption: value.startsWith('-'),
  splits: false,
});

/** The word as a person would type it, with quotes only where it needs them. */
export function quoteWord(value: string): string {
  const isPlain = /^[\w\p{L}\p{N}@%+:,./^~{}=!#-]+$/u.test(value) && !/^[~=#]|^[{}!]$/.test(value);
  const hasBraces = value.includes('{') && (value.includes(',') || value.includes('..'));
  if ((isPlain && !hasBraces) || value === '[' || value === ']') return value;
  return `'${value.replaceAll("'", "'\\''")}'`;
}

export const notHarmless = (why: string, more: Omit<Verdict, 'why'> = {}): Verdict => ({ why, ...more });

/** A word, or several, made of names that were read up to a separator: NUL for `whole` names, else blanks or newlines. */
export function wordOfNames(
  text: string,
  piped: PipedNames,
  { atNul, splits }: { atNul: boolean; splits: boolean },
): Field {
  const { pathSpecs, whole, mayBeOption } = piped;
  return whole && atNul
    ? { text, mayBeOption, splits, pathSpecs }
    : { text, mayBeOption: true, splits, pathSpecs, anyWords: true };
}
