// All sessions of this machine as rows of a list, and their changes: those at work by their presence files, old ones by
// their own. What was read is kept as long as its file has not changed, so that a list of thousands costs one look at each.
import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename } from 'node:path';
import { setImmediate as nextRound } from 'node:timers/promises';
import { type FileSummary, sessionIds, summaryOf } from '../agent/store/list-sessions.js';
import { type ListedPresence, presenceFolder, presenceNow, presentIds, type Surface } from '../agent/store/presence.js';
import { isSessionId, sessionFolder } from '../agent/store/session-folder.js';
import { thisProcess } from '../platform/journal/process-identity.js';

const MAX_PAGE = 200;
const ROUND = 100; // files that are read before other work gets a turn
const GATHER_MS = 250; // changes within this time are told together
const LOOK_MS = 5_000; // a process that was killed changes no file

export const rowStates = ['idle', 'running', 'requires_action', 'failed', 'interrupted', 'ended'] as const;

export interface SessionRow {
  sessionId: string;
  title: string;
  /** `ended`: no process has it open, and it has nothing left to do. */
  state: (typeof rowStates)[number];
  /** The program that has it open, or had it as a background session; null for an old one. */
  surface: 'background' | 'terminal' | 'headless' | 'editor' | null;
  /** Whether `_helve/session/attach` opens it here. */
  canAttach: boolean;
  /** The name of the project's folder. */
  project: string;
  root: string;
  /** What it does now, or what it waits for. */
  activity?: string;
  /** US dollars; null if it is not known. */
  costUsd: number | null;
  /** When it was last written to, and when its state changed, in ISO 8601. */
  changedAt: string;
  stateSince: string;
}

export interface PageOptions {
  /** Words in the title, the project or the id. */
  query?: string;
  limit?: number;
  /** The `next` of the page before. */
  before?: string;
}

export interface RowChanges {
  sessions: readonly SessionRow[];
  removed: readonly string[];
}

export class SessionIndex {
  readonly #dataFolder: string;
  readonly #summaries = new Map<string, { mark: string; summary: FileSummary | undefined }>();
  readonly #watchers = new Set<(changes: RowChanges) => void>();
  /** The rows that watchers have been told of, as JSON. */
  readonly #told = new Map<string, string>();
  readonly #changed = new Set<string>();
  #files: FSWatcher | undefined;
  #gathering: NodeJS.Timeout | undefined;
  #looking: NodeJS.Timeout | undefined;
  #telling: Promise<void> = Promise.resolve();

  constructor(dataFolder: string) {
    this.#dataFolder = dataFolder;
  }

  /** The latest first. */
  async page({
    query = '',
    limit = MAX_PAGE,
    before,
  }: PageOptions): Promise<{ sessions: SessionRow[]; next?: string }> {
    const words = query.toLowerCase();
    const all = (await this.#rows()).filter((row) => isMeant(row, words)).toSorted(byTime);
    const from = before === undefined ? 0 : all.findIndex((row) => placeOf(row) < before);
    const sessions = from < 0 ? [] : all.slice(from, from + Math.min(limit, MAX_PAGE));
    const last = sessions.at(-1);
    return { sessions, ...(last && from + sessions.length < all.length && { next: placeOf(last) }) };
  }

  /** All of them, the latest first. */
  async all(): Promise<SessionRow[]> {
    return (await this.#rows()).toSorted(byTime);
  }

  async row(id: string): Promise<SessionRow | undefined> {
    const presence = await presenceNow(this.#dataFolder, id, await thisProcess());
    return rowOf(id, this.#summary(id), presence);
  }

  /** Calls the function with the sessions at work, and then with what changes. Returns how to stop that. */
  watch(onChange: (changes: RowChanges) => void): () => void {
    this.#watchers.add(onChange);
    if (this.#watchers.size === 1) this.#start();
    this.#telling = this.#telling.then(() => this.#greet(onChange)).catch(() => {});
    return () => {
      this.#watchers.delete(onChange);
      if (this.#watchers.size === 0) this.#stop();
    };
  }

  #start(): void {
    this.#watchFiles();
    this.#looking = setInterval(() => this.#noteAll(), LOOK_MS);
  }

  #watchFiles(): void {
    try {
      this.#files = watch(presenceFolder(this.#dataFolder), (_, name) => {
        const id = name?.endsWith('.json') ? name.slice(0, -'.json'.length) : '';
        if (isSessionId(id)) this.#note(id);
      });
      this.#files.on('error', () => {}); // the regular look goes on
    } catch {
      // There was no session yet: the regular look finds the first one, and then watches.
    }
  }

  async #greet(onChange: (changes: RowChanges) => void): Promise<void> {
    const rows = await Promise.all(presentIds(this.#dataFolder).map((id) => this.row(id)));
    const sessions = rows.filter((row) => row !== undefined);
    for (const row of sessions) this.#told.set(row.sessionId, JSON.stringify(row));
    if (this.#watchers.has(onChange)) onChange({ sessions, removed: [] });
  }

  #stop(): void {
    this.#files?.close();
    this.#files = undefined;
    clearInterval(this.#looking);
    clearTimeout(this.#gathering);
    this.#gathering = undefined;
    this.#changed.clear();
    this.#told.clear();
  }

  #noteAll(): void {
    if (!this.#files) this.#watchFiles();
    for (const id of [...presentIds(this.#dataFolder), ...this.#told.keys()]) this.#note(id);
  }

  #note(id: string): void {
    this.#changed.add(id);
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#telling = this.#telling.then(() => this.#tell()).catch(() => {}); // as when a folder is being removed
    }, GATHER_MS);
  }

  async #tell(): Promise<void> {
    const ids = [...this.#changed];
    this.#changed.clear();
    const [sessions, removed]: [SessionRow[], string[]] = [[], []];
    for (const id of ids) {
      const row = await this.row(id);
      const text = row && JSON.stringify(row);
      if (text === this.#told.get(id)) continue;
      if (row && text !== undefined) {
        this.#told.set(id, text);
        sessions.push(row);
      } else {
        this.#told.delete(id);
        removed.push(id);
      }
    }
    if (sessions.length + removed.length > 0) for (const tell of this.#watchers) tell({ sessions, removed });
  }

  async #rows(): Promise<SessionRow[]> {
    const ours = await thisProcess();
    const ids = new Set([...sessionIds(this.#dataFolder), ...presentIds(this.#dataFolder)]);
    for (const id of this.#summaries.keys()) if (!ids.has(id)) this.#summaries.delete(id);
    const present = new Set(presentIds(this.#dataFolder));
    const rows: SessionRow[] = [];
    let count = 0;
    for (const id of ids) {
      const presence = present.has(id) ? await presenceNow(this.#dataFolder, id, ours) : undefined;
      const row = rowOf(id, this.#summary(id), presence);
      if (row) rows.push(row);
      count += 1;
      if (count % ROUND === 0) await nextRound();
    }
    return rows;
  }

  #summary(id: string): FileSummary | undefined {
    const stats = statSync(sessionFolder(this.#dataFolder, id).file, { throwIfNoEntry: false });
    if (!stats) return undefined;
    const mark = `${stats.ino}:${stats.mtimeMs}:${stats.size}`;
    const known = this.#summaries.get(id);
    if (known?.mark === mark) return known.summary;
    const summary = summaryOf(this.#dataFolder, id);
    this.#summaries.set(id, { mark, summary });
    return summary;
  }
}

const surfaceWords = {
  background: 'background',
  terminal: 'terminal',
  print: 'headless',
  acp: 'editor',
} as const satisfies Record<Surface, SessionRow['surface']>;

function rowOf(
  sessionId: string,
  summary: FileSummary | undefined,
  presence: ListedPresence | undefined,
): SessionRow | undefined {
  const root = presence?.root ?? summary?.root;
  if (root === undefined || (!presence && (!summary || summary.isEmpty))) return undefined;
  const changed = Math.max(summary?.updated.getTime() ?? 0, presence?.changed ?? 0);
  const title = summary && summary.title !== '' ? summary.title : (presence?.title ?? '');
  return {
    sessionId,
    title,
    state: presence ? (presence.state === 'waiting' ? 'requires_action' : presence.state) : 'ended',
    surface: presence ? surfaceWords[presence.surface] : null,
    canAttach: !presence?.isLive || presence.surface === 'background',
    project: basename(root),
    root,
    ...(presence && presence.activity !== '' && { activity: presence.activity }),
    costUsd: presence ? presence.costUsd : (summary?.costUsd ?? null),
    changedAt: new Date(changed).toISOString(),
    stateSince: new Date(presence?.changed ?? changed).toISOString(),
  };
}

const isMeant = ({ title, project, sessionId }: SessionRow, words: string): boolean =>
  words === '' || [title, project, sessionId].some((text) => text.toLowerCase().includes(words));

/** Sorts by time; the id makes it unique. */
const placeOf = ({ changedAt, sessionId }: SessionRow): string => `${changedAt} ${sessionId}`;

const byTime = (one: SessionRow, other: SessionRow): number => (placeOf(one) < placeOf(other) ? 1 : -1);
