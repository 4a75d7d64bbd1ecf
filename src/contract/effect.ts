/**
 * The effects of a call. Permissions, scheduling, plan mode, the sandbox, undo and the audit log all derive from this
 * one declaration, so a tool must declare them truthfully and decides nothing itself.
 */
export type Effect = FileEffect | CommandEffect | NetworkEffect | SessionEffect | UnknownEffect;

/** A file that is read or written. */
export interface FileEffect {
  kind: 'file';
  access: 'read' | 'write';
  /** The name as written, made absolute. */
  path: string;
  /** The path with symlinks resolved; for a missing file, through its nearest existing ancestor. */
  real: string;
  /** Device and inode of an existing file, so that two hard links to one file count as one. */
  identity?: string;
  /** The whole tree below the path, not the path alone. */
  tree?: boolean;
  /** The write removes the path: `rm`, `rmdir`, the source of `mv`. */
  removes?: boolean;
  /** The write replaces the content of an existing file: `> f`, `truncate`, the destination of `cp` and `mv`. */
  replaces?: boolean;
  /**
   * Only the results of a search in the tree are meant, as by `find -delete`. Which files those are is not known in
   * advance.
   */
  found?: boolean;
  /** Only names, sizes and dates are read (`ls -R`, `find`), not the content of the files. */
  listing?: boolean;
  /** The absolute glob that names files below `path`; its matches are not known before the shell expands it. */
  pattern?: string;
  /** The word as written, if it is unknown which file it names. `path` is then the root, and `tree` is set. */
  unresolved?: string;
  /**
   * For a file that a command names: the index of that command among the `command` effects of the call, and how it
   * names the file.
   */
  by?: { command: number; as: 'operand' | 'redirection' };
  /**
   * For a file in a worktree of the session: its names in the projects behind it, the nearest first, which rules match as
   * well. Set by the permission engine, and ignored if a tool declares it.
   */
  inProject?: ReadonlyArray<{ path: string; real: string; pattern?: string }>;
}

/** One simple command; a wrapper (`timeout 5 rm x`) and the wrapped command are two. */
export interface CommandEffect {
  kind: 'command';
  /** As it would be typed: words in the shell's own quoting, without redirections and leading assignments. */
  text: string;
  /** The words after quote removal and expansion; absent if one of them is unknown. */
  argv?: string[];
  /**
   * The same if not all are known: null stands for a word from a variable, a glob or a substitution, which may expand
   * to several words or none.
   */
  words?: readonly (string | null)[];
  /** Proven to write nothing, start nothing else and reach no network; the files it reads are effects of their own. */
  harmless: boolean;
  /** Why it is not harmless, in a few words. */
  why?: string;
  /**
   * Runs without a question only if the kernel confines it (`walls: full`): a harmless command in a form too
   * intricate to trust its table alone, or, if `harmless` is false, a program without a table in a plain form.
   */
  needsWalls?: boolean;
  /**
   * Facts about the host that it reports and that full confinement would hide: running processes, or mounts and access
   * rights.
   */
  observes?: HostFacts;
  /** The variables that are set for it alone (`A=1 cmd`), by name. */
  assigns?: string[];
  /**
   * One of them may change what runs or what it touches (`PATH=. make`): a rule that allows the command does not cover
   * it then.
   */
  assignsUnsafely?: boolean;
  /** The index, among the `command` effects of the call, of the wrapper that runs it (`timeout 5 rm x`). */
  wrappedBy?: number;
  /** The engine of a container command whose words name none, if variables or docker's own settings do. */
  engine?: ContainerEngine;
}

/** An address (`DOCKER_HOST`), or a context as `docker context` names it. */
export type ContainerEngine = { host: string } | { context: string };

/** `processes`: the process table. `machine`: mounts, devices, and which files may be written. */
export type HostFacts = 'processes' | 'machine';

/** A network address that is reached. */
export interface NetworkEffect {
  kind: 'network';
  url: string;
  /** For an address that a command names: the index of that command among the `command` effects of the call. */
  by?: { command: number };
}

/** State of the session that calls share: a relative path reads `cwd`, a `cd` writes it. */
export interface SessionEffect {
  kind: 'session';
  access: 'read' | 'write';
  /** `memory`: data that later sessions of the project read too. */
  what: 'cwd' | 'mode' | 'todos' | 'tools' | 'memory';
}

/** Could touch anything: runs alone, and is never allowed without a question. */
export interface UnknownEffect {
  kind: 'unknown';
  why: string;
  /** The tool claims that it only reads. Trusted for what may run beside it, and for no permission. */
  readOnlyHint?: boolean;
}
