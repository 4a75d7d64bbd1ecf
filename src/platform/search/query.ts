/** Which files are meant. */
export interface FileQuery {
  /** The folder that is searched, by its real path. Globs are relative to it. */
  folder: string;
  /** The one file in it that is searched, whatever globs and ignore files say of it. */
  file?: string | undefined;
  /** Other names of the two, by which they are reached even if something else has their place by now. */
  opened?: { folder: string; file?: string } | undefined;
  /** The last that matches a file decides; "!" before a glob leaves out what it matches. */
  globs: readonly string[];
  /** A kind of file by ripgrep's name for it. */
  type?: string | undefined;
  /** Also what .gitignore and the like name. Version control's own folders are left out all the same. */
  includeIgnored: boolean;
}

export type TextMode = 'content' | 'files_with_matches' | 'count';

export interface TextQuery extends FileQuery {
  /** In ripgrep's syntax. */
  pattern: string;
  mode: TextMode;
  ignoreCase: boolean;
  /** The pattern may match across lines, and "." any character. */
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
  /** Gets the files of a list, or those with a match, as they are found, for whoever has something to do with each. */
  onFiles?: ((files: readonly string[]) => void) | undefined;
}

export interface SearchOutcome {
  /** Why there may be more than was found; undefined when it is all. */
  stopped: 'too much output' | 'took too long' | undefined;
  /** Files and folders that could not be read, relative to the folder. */
  unreadable: readonly string[];
}

export interface FileList extends SearchOutcome {
  /** Relative to the folder, in no order. */
  files: readonly string[];
}

export interface TextMatches extends SearchOutcome {
  /** By path relative to the folder, in no order. */
  files: ReadonlyMap<string, FileMatches>;
}

export interface FileMatches {
  /** In content mode, as `12:a match`, `13-its context` and `--` between groups that do not touch. */
  lines: readonly string[];
  /** Lines in content mode, occurrences in count mode or where only these are shown, else 1. */
  matches: number;
  /** The file is binary: it matches, and its lines are not shown. */
  isBinary?: boolean;
}

export const SEPARATOR = '--';

/** What stands at the end of a line that is too long to be shown. */
export const CUT_MARK = ' [... omitted end of long line]';

export const MAX_OUTPUT_BYTES = 32 * 1024 * 1024; // far more than a model can use, far less than memory
export const SEARCH_TIMEOUT_MS = 20_000; // a person would have given up on a search by then

export const VERSION_CONTROL = ['.git', '.hg', '.svn', '.jj', '.bzr', '.sl'] as const;

/** The query can't be run as it is; the message says what is wrong with it. */
export class SearchFailure extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SearchFailure';
  }
}
