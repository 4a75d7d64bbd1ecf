import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { findFiles } from '../files/find-files.js';
import {
  CUT_MARK,
  type FileList,
  type FileMatches,
  type FileQuery,
  MAX_OUTPUT_BYTES,
  SEARCH_TIMEOUT_MS,
  SEPARATOR,
  SearchFailure,
  type SearchOptions,
  type SearchOutcome,
  type TextMatches,
  type TextQuery,
} from './query.js';
import { fromRustRegex } from './rust-regex.js';
import { searchWorker, type WorkerAnswer, type WorkerOrder, type WorkerTask } from './search-worker.js';

const FILES_AT_ONCE = 64; // per message to the worker thread
const WORKER_HEAP_MB = 1_024;

/** The fallback search without ripgrep: slower, with the same results. */
export async function listBuiltIn(query: FileQuery, options: SearchOptions): Promise<FileList> {
  const files: string[] = [];
  const unreadable: string[] = [];
  const stopped = await withinTime(options, async (signal) => {
    for await (const found of walk(query, signal, unreadable)) files.push(...found);
    return undefined;
  });
  return { files, stopped, unreadable };
}

export async function searchBuiltIn(query: TextQuery, options: SearchOptions): Promise<TextMatches> {
  const { maxOutputBytes = MAX_OUTPUT_BYTES } = options;
  const thread = startThread(query);
  const files = new Map<string, FileMatches>();
  const unreadable: string[] = [];
  let size = 0;
  try {
    const stopped = await withinTime(options, async (signal) => {
      for await (const found of walk(query, signal, unreadable)) {
        for (let at = 0; at < found.length; at += FILES_AT_ONCE) {
          const batch = found.slice(at, at + FILES_AT_ONCE);
          const orders = batch.map((file) => orderFor(file, query));
          for (const [index, { failed, ...answer }] of (await thread.search(orders, signal)).entries()) {
            const file = batch[index] ?? '';
            if (failed) unreadable.push(file);
            if (answer.matches === 0) continue;
            files.set(file, matchesOf(answer));
            size += answer.lines.reduce((sum, line) => sum + line.length, file.length);
          }
          if (size > maxOutputBytes) return 'too much output';
        }
      }
      return undefined;
    });
    return { files, stopped, unreadable };
  } finally {
    await thread.end();
  }
}

const orderFor = (file: string, { folder, file: named, opened = { folder } }: TextQuery): WorkerOrder => ({
  path: join(opened.folder, opened.file ?? file),
  isNamed: named !== undefined,
  isOpen: opened.file !== undefined,
});

const matchesOf = ({ lines, matches, isBinary }: Omit<WorkerAnswer, 'failed'>): FileMatches => ({
  lines,
  matches,
  ...(isBinary && { isBinary }),
});

const walk = (query: FileQuery, signal: AbortSignal, unreadable: string[]): AsyncGenerator<string[], void, void> =>
  findFiles(query, { signal, onUnreadable: (path) => unreadable.push(path) });

/** Runs the work until the timeout; results collected by then are kept. */
async function withinTime(
  { signal, timeoutMs = SEARCH_TIMEOUT_MS }: SearchOptions,
  work: (signal: AbortSignal) => Promise<SearchOutcome['stopped']>,
): Promise<SearchOutcome['stopped']> {
  signal.throwIfAborted();
  const timeUp = new AbortController();
  const timer = setTimeout(() => timeUp.abort(), timeoutMs);
  try {
    return await work(AbortSignal.any([signal, timeUp.signal]));
  } catch (error) {
    signal.throwIfAborted();
    if (timeUp.signal.aborted) return 'took too long';
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

interface SearchThread {
  /** One answer for each order. Rejects when the signal aborts, whatever the thread is doing. */
  search(orders: readonly WorkerOrder[], signal: AbortSignal): Promise<WorkerAnswer[]>;
  end(): Promise<void>;
}

function startThread(query: TextQuery): SearchThread {
  const { source, flags } = fromRustRegex(query.pattern, query);
  const { mode, multiline, onlyMatching, before, after, maxColumns } = query;
  const limits = { before, after, maxColumns, cutMark: CUT_MARK, separator: SEPARATOR };
  const task: WorkerTask = { source, flags, mode, multiline, onlyMatching, ...limits };
  // As source text, so that there is no separate file that a bundle could lose.
  const worker = new Worker(`(${searchWorker.toString()})()`, {
    eval: true,
    workerData: task,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: WORKER_HEAP_MB },
  });
  const failed = new Promise<never>((_, reject) => {
    worker.once('error', (cause) =>
      reject(new SearchFailure('The search without ripgrep broke off. Simplify the pattern.', { cause })),
    );
  });
  failed.catch(() => {}); // reported to the caller that waits for an answer
  return {
    async search(orders, signal) {
      signal.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer[]>();
      const onAbort = (): void => reject(signal.reason);
      worker.once('message', resolve);
      signal.addEventListener('abort', onAbort, { once: true });
      worker.postMessage(orders);
      try {
        return await Promise.race([promise, failed]);
      } finally {
        signal.removeEventListener('abort', onAbort);
        worker.off('message', resolve);
      }
    },
    end: async () => void (await worker.terminate()),
  };
}
