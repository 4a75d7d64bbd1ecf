// The sessions of a fleet as rows of a list, and their changes.
import type { PageOptions, RowChanges, SessionRow } from '../../host/session-index.js';
import { messageOf } from '../../platform/message-of.js';
import { type Database, queryWhenUp } from '../postgres.js';
import type { FleetState } from '../prompts.js';
import { Wake } from '../wake.js';

const MAX_PAGE = 200;
const GATHER_MS = 250; // changes within this time are reported together
const LOOK_MS = 2_000; // signals may be lost

/** A row with what clients are not shown. */
export interface FleetRow extends SessionRow {
  epoch: number;
  worker: string | null;
  openPrompts: number;
}

/** Only sessions of this project, if it is given. */
export interface ListScope {
  project?: string | undefined;
}

export class SessionList {
  readonly #database: Database;
  readonly #onProblem: (sentence: string) => void;
  readonly #watchers = new Map<(changes: RowChanges) => void, ListScope>();
  readonly #wake = new Wake();
  #since: Date | undefined;
  #isLooking = false;

  constructor(database: Database, onProblem: (sentence: string) => void) {
    this.#database = database;
    this.#onProblem = onProblem;
  }

  /** The latest first. */
  async page({ query = '', limit = MAX_PAGE, before, project }: PageOptions & ListScope) {
    const [time = null, id = null] = before === undefined ? [] : before.split(' ');
    const size = Math.min(limit, MAX_PAGE);
    const rows = await queryWhenUp<Stored>(this.#database, {
      text: `${ROWS} where ($1::text is null or s.project = $1)
             and ($2 = '' or strpos(lower(s.title || ' ' || s.project || ' ' || s.id), $2) > 0)
             and ($3::timestamptz is null or (${CHANGED}, s.id) < ($3, $4))
             order by ${CHANGED} desc, s.id desc limit $5`,
      values: [project ?? null, query.toLowerCase(), time, id, size + 1],
    });
    const sessions = rows.slice(0, size).map((row) => shownRow(fleetRow(row)));
    const last = sessions.at(-1);
    return { sessions, ...(last && rows.length > size && { next: `${last.changedAt} ${last.sessionId}` }) };
  }

  async rows(ids: readonly string[]): Promise<FleetRow[]> {
    const rows = await queryWhenUp<Stored>(this.#database, { text: `${ROWS} where s.id = any($1)`, values: [ids] });
    return rows.map(fleetRow);
  }

  /** The state of sessions, and how many have it. */
  async states(): Promise<Map<string, number>> {
    const rows = await queryWhenUp<{ state: string; sessions: string }>(this.#database, {
      text: 'select state, count(*) as sessions from helve.session group by state',
      values: [],
    });
    return new Map(rows.map(({ state, sessions }) => [state, Number(sessions)]));
  }

  /** Calls the function with the latest sessions, and then with what changes. Returns how to stop that. */
  watch(onChange: (changes: RowChanges) => void, scope: ListScope = {}): () => void {
    this.#watchers.set(onChange, scope);
    void this.page(scope)
      .then(({ sessions }) => {
        if (this.#watchers.has(onChange)) onChange({ sessions, removed: [] });
      })
      .catch((error: unknown) => this.#onProblem(messageOf(error)));
    if (!this.#isLooking) void this.#look();
    return () => {
      this.#watchers.delete(onChange);
      this.#wake.wake();
    };
  }

  /** A session has changed. */
  changed(): void {
    this.#wake.wake();
  }

  /** It was removed. */
  removed(sessionId: string): void {
    for (const tell of this.#watchers.keys()) tell({ sessions: [], removed: [sessionId] });
  }

  async #look(): Promise<void> {
    this.#isLooking = true;
    let reported = '';
    while (this.#watchers.size > 0) {
      try {
        await this.#tellChanges();
        reported = '';
      } catch (error) {
        if (reported === '') this.#onProblem(messageOf(error));
        reported = messageOf(error);
      }
      await this.#wake.next(LOOK_MS);
      await new Promise((resolve) => setTimeout(resolve, GATHER_MS));
    }
    this.#isLooking = false;
    this.#since = undefined;
  }

  /** Times are those of the database, and a transaction may show its time late. */
  async #tellChanges(): Promise<void> {
    const since = this.#since;
    const [now] = await queryWhenUp<{ now: Date }>(this.#database, { text: 'select now() as now', values: [] });
    if (since) {
      const rows = await queryWhenUp<Stored>(this.#database, {
        text: `${ROWS} where s.changed_at > $1::timestamptz - interval '2 seconds' order by s.changed_at`,
        values: [since],
      });
      const changed = rows.map((row) => shownRow(fleetRow(row)));
      for (const [tell, { project }] of this.#watchers) {
        const sessions = changed.filter((row) => project === undefined || row.project === project);
        if (sessions.length > 0) tell({ sessions, removed: [] });
      }
    }
    this.#since = now?.now;
  }
}

const CHANGED = `date_trunc('milliseconds', s.changed_at)`;

const ROWS = `
  select s.id, s.title, s.project, s.root, s.state, s.worker, s.epoch, s.changed_at,
    (select count(*) from helve.prompt p where p.session = s.id and p.ended_at is null) as open_prompts
  from helve.session s`;

interface Stored {
  id: string;
  title: string;
  project: string;
  root: string;
  state: FleetState;
  worker: string | null;
  epoch: string;
  changed_at: Date;
  open_prompts: string;
}

function fleetRow({ id, title, project, root, state, worker, epoch, changed_at, open_prompts }: Stored): FleetRow {
  const openPrompts = Number(open_prompts);
  const isQueued = openPrompts > 0 && worker === null;
  const activity = isQueued ? 'waits for a worker' : worker === null ? undefined : `on ${worker}`;
  return {
    sessionId: id,
    title,
    state: isQueued && state !== 'interrupted' ? 'running' : state,
    surface: 'background',
    canAttach: true,
    project,
    root,
    ...(activity !== undefined && { activity }),
    costUsd: null,
    changedAt: changed_at.toISOString(),
    stateSince: changed_at.toISOString(),
    epoch: Number(epoch),
    worker,
    openPrompts,
  };
}

export function shownRow({ epoch: _, worker: __, openPrompts: ___, ...row }: FleetRow): SessionRow {
  return row;
}
