/** Selects files. */
export interface FileQuery {
  /** The folder to search, by its real path. Globs are relative to it. */
  folder: string;
  /** The only file in it to search, regardless of globs and ignore files. */
  file?: string | undefined;
  /** Paths that reach the two through open descriptors, even if they have been replaced. */
  opened?: { folder: string; file?: string } | undefined;
  /** The last glob that matches a file wins; a leading "!" excludes its matches. */
  globs: readonly string[];
  /** A file type by ripgrep's name. */
  type?: string | undefined;
  /** Includes files that .gitignore and the like exclude, but never the folders of version control. */
  includeIgnored: boolean;
}

export type TextMode = 'content' | 'files_with_matches' | 'count';

export interface TextQuery extends FileQuery {
  /** In ripgrep's syntax. */
  pattern: string;
  mode: TextMode;
  ignoreCase: boolean;
  /** The pattern may match across lines, and "." matches any character. */
  multiline: boolean;
  /** The matches alone instead of their lines. */
  onlyMatching: boolean;
  /** Lines to show around a match. */
  before: number;
  after: number;
  maxColumns: number;
}

export interface SearchOptions {
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  timeoutMs?: number;
  maxOutputBytes?: number;
  /** Receives the listed files, or those with a match, as they are found. */
  onFiles?: ((files: readonly string[]) => void) | undefined;
}

export interface SearchOutcome {
  /** Why there may be more results; undefined if the result is complete. */
  stopped: 'too much output' | 'took too long' | undefined;
  /** Unreadable files and folders, relative to the folder. */
  unreadable: readonly string[];
}

export interface FileList extends SearchOutcome {
  /** Relative to the folder, unordered. */
  files: readonly string[];
}

export interface TextMatches extends SearchOutcome {
  /** By path relative to the folder, unordered. */
  files: ReadonlyMap<string, FileMatches>;
}

export interface FileMatches {
  /** In content mode, as `12:a match`, `13-its context` and `--` between groups that do not touch. */
  lines: readonly string[];
  /** Lines in content mode; occurrences in count mode, or if only those are shown; else 1. */
  matches: number;
  /** The file is binary: it matches, and its lines are not shown. */
  isBinary?: boolean;
}

export const SEPARATOR = '--';

/** Appended to a line that is too long to be shown. */
export const CUT_MARK = ' [... omitted end of long line]';

export const MAX_OUTPUT_BYTES = 32 * 1024 * 1024; // far more than a model can use, far less than memory
export const SEARCH_TIMEOUT_MS = 20_000; // a person would have given up on a search by then

export const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj', '.bzr', '.sl'] as const;

/** The query can't be run; the message says what is wrong with it. */
export class SearchFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SearchFailure';
  }
}
