/**
 * What a call would touch. Permission, scheduling, plan mode, the sandbox, undo and the audit log all derive from this
 * one declaration, so a tool says the truth here and decides nothing itself.
 */
export type Effect = FileEffect | CommandEffect | NetworkEffect | SessionEffect | UnknownEffect;

/** A file that is read or written. */
export interface FileEffect {
  kind: 'file';
  access: 'read' | 'write';
  /** The name as written, made absolute. */
  path: string;
  /** The same place with symlinks resolved; for a file that does not exist yet, through its nearest existing ancestor. */
  real: string;
  /** Device and inode where the file exists, so that two hard links to one file are seen as one. */
  identity?: string;
  /** The whole tree below the path, not the path alone. */
  tree?: boolean;
  /** What is written is that nothing is left there: `rm`, `rmdir`, the source of `mv`. */
  removes?: boolean;
  /** Of the tree only what a search finds is meant, as by `find -delete`. Which files those are is not known beforehand. */
  found?: boolean;
  /** Only names, sizes and dates are read (`ls -R`, `find`), nothing of what the files hold. */
  listing?: boolean;
  /** The glob, absolute, that names files below `path`; what it matches is not known before the shell expands it. */
  pattern?: string;
  /** The word as written, where it can't be known which file it names. `path` is then the root, and `tree` is set. */
  unresolved?: string;
  /** For a file that a command names: the position of that command among the `command` effects of the call, and how it names it. */
  by?: { command: number; as: 'operand' | 'redirection' };
}

/** One simple command; a wrapper (`timeout 5 rm x`) and what it wraps are two. */
export interface CommandEffect {
  kind: 'command';
  /** As it would be typed: words in the shell's own quoting, without redirections and leading assignments. */
  text: string;
  /** The words after quote removal and expansion; absent where one of them can't be known. */
  argv?: string[];
  /** The same where not all are known: null stands for a word that a variable, a glob or a substitution decides, or for several, or none. */
  words?: readonly (string | null)[];
  /** Proven to write nothing, start nothing else and reach no network; the files it reads are effects of their own. */
  harmless: boolean;
  /** Why it is not harmless, in a few words. */
  why?: string;
  /**
   * Runs without a question only where the kernel confines it (`walls: full`): a harmless command in a form too intricate
   * to rely on its table alone, or, where `harmless` is false, a program that no table knows in a plain form.
   */
  needsWalls?: boolean;
  /** What it reports about the host that full confinement would hide: running processes, or mounts and access rights. */
  observes?: HostFacts;
  /** The variables that are set for it alone (`A=1 cmd`), by name. */
  assigns?: string[];
  /** One of them may change what runs or what it touches (`PATH=. make`): a rule that allows the command doesn't look past it. */
  assignsUnsafely?: boolean;
  /** The position, among the `command` effects of the call, of the wrapper that runs it (`timeout 5 rm x`). */
  wrappedBy?: number;
}

/** `processes`: the process table. `machine`: mounts, devices, and which files may be written. */
export type HostFacts = 'processes' | 'machine';

/** An address that is reached. */
export interface NetworkEffect {
  kind: 'network';
  url: string;
  /** For an address that a command names: the position of that command among the `command` effects of the call. */
  by?: { command: number };
}

/** State of the session that calls share: a relative path reads `cwd`, a `cd` writes it. */
export interface SessionEffect {
  kind: 'session';
  access: 'read' | 'write';
  /** `memory`: what the project's later sessions read too. */
  what: 'cwd' | 'mode' | 'todos' | 'tools' | 'memory';
}

/** Could touch anything: runs alone, and is never allowed without being asked about. */
export interface UnknownEffect {
  kind: 'unknown';
  why: string;
  /** Somebody claims that it only reads. Believed when it comes to what may run beside it, and for no permission. */
  readOnlyHint?: boolean;
}
