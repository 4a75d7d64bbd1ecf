// The paths of a project's files, for completion: read in the background, and again when they are stale.
import { realpath } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { monotonicMs } from '../../platform/clock.js';
import { errorClause } from '../../platform/text/clause.js';
import { isTypable } from './complete-path.js';
import { findPaths, joinLists, type PathList, pathList } from './fuzzy-paths.js';

const MAX_PATHS = 200_000; // files and folders; more would slow typing down
const MAX_OUTPUT_BYTES = 24 * 1024 * 1024;
const OLD_AFTER_MS = 5_000;
const AT_ONCE = 5_000; // paths per step, between which key presses are handled

export interface FileIndexOptions {
  root: string;
  env: Readonly<Record<string, string | undefined>>;
  maxPaths?: number;
  /** New names are available. */
  onChange?(): void;
  /** Called once, with a sentence for the person, if the files can't be listed. */
  onProblem?(sentence: string): void;
}

export class FileIndex {
  readonly #options: FileIndexOptions;
  readonly #ended = new AbortController();
  #list: PathList | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #reading: Promise<void> | undefined;
  #isWhole = true;
  #hasReported = false;

  constructor(options: FileIndexOptions) {
    this.#options = options;
  }

  /** False if there are more files than the limit. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  get size(): number {
    return this.#list?.paths.length ?? 0;
  }

  /** Starts a scan if one is due. A project that takes long to scan is scanned less often. */
  refresh(): void {
    const isOld = monotonicMs() - this.#readAt > OLD_AFTER_MS + 10 * this.#tookMs;
    if (isOld && !this.#ended.signal.aborted) this.#reading ??= this.#read();
  }

  /** Resolves once the current scan is done. Never rejects. */
  async ready(): Promise<void> {
    this.refresh();
    await this.#reading;
  }

  /** Searches what is known so far. Folders end with a slash. */
  find(query: string, max: number): string[] {
    this.refresh();
    return this.#list ? findPaths(this.#list, query, max) : [];
  }

  end(): void {
    this.#ended.abort();
  }

  async #read(): Promise<void> {
    const { root, env, maxPaths = MAX_PATHS, onChange } = this.#options;
    const began = monotonicMs();
    try {
      const { listFiles } = await import('../../platform/search/search.js');
      const { files, stopped } = await listFiles(
        { folder: await realpath(root), globs: [], includeIgnored: false },
        { env, signal: this.#ended.signal, maxOutputBytes: MAX_OUTPUT_BYTES },
      );
      const paths = await withFolders(files, maxPaths);
      this.#isWhole = stopped === undefined && paths.length < maxPaths;
      this.#list = await readyList(paths);
      onChange?.();
    } catch (error) {
      this.#report(error); // the next refresh tries again
    } finally {
      this.#readAt = monotonicMs();
      this.#tookMs = this.#readAt - began;
      this.#reading = undefined;
    }
  }

  #report(error: unknown): void {
    if (this.#hasReported || this.#ended.signal.aborted) return;
    this.#hasReported = true;
    this.#options.onProblem?.(`Files can't be offered after @: ${errorClause(error)}.`);
  }
}

/** The files and their folders; top-level ones come first and sorted, since an empty query shows them. */
async function withFolders(files: readonly string[], max: number): Promise<string[]> {
  const named: string[] = [];
  const folders = new Set<string>();
  for (const [index, file] of files.entries()) {
    if (index % AT_ONCE === 0) await setImmediate();
    if (!isTypable(file)) continue;
    named.push(file);
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1)) {
      const folder = file.slice(0, slash + 1);
      if (folders.has(folder)) break; // then its parents are known too
      folders.add(folder);
    }
  }
  const all = [...folders, ...named].slice(0, max);
  const isAtTop = (path: string): boolean => [-1, path.length - 1].includes(path.indexOf('/'));
  const top = all.filter(isAtTop).sort();
  return [...top, ...all.filter((path) => !isAtTop(path))];
}

/** In steps, so that typing stays responsive. */
async function readyList(paths: readonly string[]): Promise<PathList> {
  const pieces: PathList[] = [];
  for (let from = 0; from < paths.length; from += AT_ONCE) {
    await setImmediate();
    pieces.push(pathList(paths.slice(from, from + AT_ONCE)));
  }
  return joinLists(pieces);
}
