/**
 * What a call would touch. Permission, scheduling, plan mode, the sandbox, undo and the audit log all derive from this
 * one declaration, so a tool says the truth here and decides nothing itself.
 */
export type Effect = FileEffect | CommandEffect | NetworkEffect | SessionEffect | UnknownEffect;

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
}

/** One simple command; a wrapper (`timeout 5 rm x`) and what it wraps are two. */
export interface CommandEffect {
  kind: 'command';
  text: string;
  argv?: string[];
  /** Proven to write nothing, start nothing else and reach no network. */
  harmless: boolean;
}

export interface NetworkEffect {
  kind: 'network';
  url: string;
}

/** State of the session that calls share: a relative path reads `cwd`, a `cd` writes it. */
export interface SessionEffect {
  kind: 'session';
  access: 'read' | 'write';
  what: 'cwd' | 'mode' | 'todos' | 'tools';
}

/** Could touch anything: runs alone, and is never allowed without being asked about. */
export interface UnknownEffect {
  kind: 'unknown';
  why: string;
}
