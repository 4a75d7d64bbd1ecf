// The prompts of the fleet's sessions: accepted by any client, in order for each session, and given to the queue of workers
// one at a time. Client and worker meet only here, in the database.
import type { UserBlock } from '../contract/message.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { type Database, DatabaseProblem, queryWhenUp } from './postgres.js';
import { assertPlace, FleetProjects } from './projects.js';
import { ACCEPT, DUE, END_CANCELLED, REMOVE_OLD, RETRY, SESSIONS } from './prompt-statements.js';
import { notify } from './signals.js';
import type { SessionOwner } from './store/record-store.js';
import { openSealed, type Seal, sealedBytes } from './store/seal.js';
import type { WantedRepository } from './workspace/fleet-workspaces.js';

export interface FleetPrompt {
  sessionId: string;
  /** One that was sent before does not run again. */
  promptId: string;
  /** Projects get an equal share of the workers. */
  project: string;
  /** The folder that the session works in, on every worker. With a repository it is made by the first worker. */
  root: string;
  /** The session works on this, in a workspace of its own. */
  repository?: WantedRepository | undefined;
  content: readonly UserBlock[];
  /** From 0, the default, to 9; prompts of a higher one run first. */
  priority?: number;
  /** Who has sent it. */
  actor: string;
  /** Of the actor: how many of its prompts run at once, and how many it may send on a day. */
  actorLimits?: { running?: number | undefined; perDay?: number | undefined };
}

export const fleetStates = ['idle', 'running', 'requires_action', 'failed', 'interrupted'] as const;

/** `interrupted`: its worker was lost, and another continues it. The others are those of a host. */
export type FleetState = (typeof fleetStates)[number];

export interface FleetSession {
  sessionId: string;
  title: string;
  project: string;
  /** Empty until a worker has made the workspace of a repository. */
  root: string;
  repository: WantedRepository | undefined;
  state: FleetState;
  /** The worker that runs it. */
  worker: string | null;
  /** How many prompts have not ended. */
  openPrompts: number;
  changedAt: Date;
}

export interface DuePrompt {
  sessionId: string;
  promptId: string;
  /** Unique, also if a session was removed and another one has its ids. */
  number: number;
  /** Of the workflow: a prompt whose workflow ended without it gets another. */
  attempt: number;
  priority: number;
  /** How many prompts of the project are queued before it. */
  ahead: number;
  /** A worker has begun it, and was lost. */
  hasBegun: boolean;
}

/** What the run of a prompt needs to begin. */
export interface PromptToRun {
  root: string;
  project: string;
  repository: WantedRepository | undefined;
  isCancelled: boolean;
}

export interface PromptEndFacts {
  outcome: string;
  /** What went wrong, for the person. */
  problem?: string | undefined;
  state: Extract<FleetState, 'idle' | 'failed'>;
}

export interface EndedPrompt {
  sessionId: string;
  promptId: string;
  outcome: string;
  problem: string | null;
}

export class FleetPrompts {
  readonly #database: Database;
  readonly #seal: Seal | undefined;
  readonly #projects: FleetProjects;

  constructor(database: Database, seal?: Seal) {
    this.#database = database;
    this.#seal = seal;
    this.#projects = new FleetProjects(database);
  }

  /** Resolves once the prompt is in the database. Rejects with `DatabaseProblem` if it may not be run. */
  async accept(prompt: FleetPrompt, title: string): Promise<{ isNew: boolean }> {
    const { sessionId, promptId, project, root, repository, content, actor, actorLimits = {} } = prompt;
    const known = await this.#projects.get(project);
    assertPlace(known, (await this.#placeOf(sessionId)) ?? prompt);
    const priority = prompt.priority ?? known?.priority ?? 0;
    const { running = null, perDay = null } = actorLimits;
    const place = [root, repository?.url ?? null, repository?.ref ?? null];
    const { keyId, bytes } = sealedBytes(this.#seal, JSON.stringify(content), placeOf(sessionId, promptId));
    const [row] = await queryWhenUp<{ is_new: boolean; is_within: boolean }>(this.#database, {
      text: ACCEPT,
      values: [sessionId, project, title, promptId, priority, actor, keyId, bytes, running, perDay, ...place],
    });
    if (row?.is_new) return { isNew: true };
    const before = await this.content(sessionId, promptId);
    if (before === undefined && !row?.is_within) throw await this.#overLimit(prompt);
    if (JSON.stringify(before) === JSON.stringify(content)) return { isNew: false };
    throw new DatabaseProblem(
      `The id ${JSON.stringify(promptId.slice(0, 80))} was given to another prompt of this session, so this one is not run. Send it with an id of its own.`,
    );
  }

  /** Where a session works that has had a prompt before. */
  async #placeOf(sessionId: string): Promise<Pick<PromptToRun, 'root' | 'repository'> | undefined> {
    const [row] = await queryWhenUp<RepositoryRow & { root: string }>(this.#database, {
      text: 'select root, repository, ref from helve.session where id = $1',
      values: [sessionId],
    });
    return row && { root: row.root, repository: repositoryIn(row) };
  }

  async #overLimit({ project, actor, actorLimits }: FleetPrompt): Promise<DatabaseProblem> {
    const { perDay } = (await this.#projects.get(project)) ?? {};
    const ofActor = actorLimits?.perDay === undefined ? '' : `${actor} may send ${actorLimits.perDay} prompts on a day`;
    const ofProject = typeof perDay === 'number' ? `the project ${project} may be sent ${perDay}` : '';
    const limits = [ofActor, ofProject].filter((words) => words !== '').join(', and ');
    return new DatabaseProblem(
      `The prompt was not accepted: ${limits}, and that is reached. Send it after midnight UTC, or raise the limit.`,
    );
  }

  /** Undefined if there is no such prompt. */
  async content(sessionId: string, promptId: string): Promise<UserBlock[] | undefined> {
    const [row] = await queryWhenUp<{ content: Buffer; key_id: string | null }>(this.#database, {
      text: 'select content, key_id from helve.prompt where session = $1 and id = $2',
      values: [sessionId, promptId],
    });
    if (!row) return undefined;
    const sealed = { keyId: row.key_id, bytes: row.content };
    const plain = openSealed(this.#seal, sealed, placeOf(sessionId, promptId));
    return blocksIn(parseJson(Buffer.from(plain).toString()));
  }

  /** The first open prompt of each session that is not queued. Cancelled ones that have not begun end here. */
  async due(projectLimit: number): Promise<DuePrompt[]> {
    await this.#database.query(END_CANCELLED);
    const { rows } = await this.#database.query<DueRow>(DUE, [projectLimit]);
    return rows.map(({ session, id, number, attempt, priority, ahead, has_begun }) => ({
      sessionId: session,
      promptId: id,
      number: Number(number),
      attempt,
      priority,
      ahead: Number(ahead),
      hasBegun: has_begun,
    }));
  }

  async queued({ sessionId, promptId, attempt }: DuePrompt): Promise<void> {
    await this.#database.query(
      'update helve.prompt set is_queued = true where session = $1 and id = $2 and attempt = $3',
      [sessionId, promptId, attempt],
    );
  }

  /** Undefined if it has ended. */
  async toRun(sessionId: string, promptId: string): Promise<PromptToRun | undefined> {
    const [row] = await queryWhenUp<ToRunRow>(this.#database, {
      text: `select s.root, s.project, s.repository, s.ref, p.cancelled_at from helve.prompt p join helve.session s on s.id = p.session
             where p.session = $1 and p.id = $2 and p.ended_at is null`,
      values: [sessionId, promptId],
    });
    return (
      row && {
        root: row.root,
        project: row.project,
        repository: repositoryIn(row),
        isCancelled: row.cancelled_at !== null,
      }
    );
  }

  /** Records where the session of a repository works. */
  async placed({ sessionId, epoch }: SessionOwner, root: string): Promise<void> {
    await queryWhenUp(this.#database, {
      text: `update helve.session set root = $3 where id = $1 and epoch = $2 and root <> $3
             returning ${notify('changed', 'id')}`,
      values: [sessionId, epoch, root],
    });
  }

  async begun({ sessionId }: SessionOwner, promptId: string): Promise<void> {
    await queryWhenUp(this.#database, {
      text: 'update helve.prompt set begun_at = coalesce(begun_at, now()) where session = $1 and id = $2',
      values: [sessionId, promptId],
    });
  }

  /** Records the state of a session that is still the owner's. */
  async note({ sessionId, epoch }: SessionOwner, state: FleetState): Promise<void> {
    await queryWhenUp(this.#database, {
      text: `update helve.session set state = $3, changed_at = now() where id = $1 and epoch = $2 and state <> $3
             returning ${notify('changed', 'id')}`,
      values: [sessionId, epoch, state],
    });
  }

  /** Ends the prompt and gives the session up. Does nothing if it has another owner. */
  async ended({ sessionId, epoch }: SessionOwner, promptId: string, end: PromptEndFacts): Promise<void> {
    const { state, outcome, problem = null } = end;
    await queryWhenUp(this.#database, {
      text: `with owned as (
               update helve.session set worker = null, state = $3, changed_at = now()
               where id = $1 and epoch = $2 returning id)
             update helve.prompt p set ended_at = now(), outcome = $5, problem = $6
             from owned where p.session = owned.id and p.id = $4 and p.ended_at is null
             returning ${notify('changed', 'p.session')}, ${notify('due', 'p.session')}`,
      values: [sessionId, epoch, state, promptId, outcome, problem],
    });
  }

  /**
   * The workflow of this attempt will not end the prompt: another one is queued, once. `maxLosses`: its worker was lost with
   * it; a prompt that has lost so many has failed, since it may be the cause.
   */
  async retry(sessionId: string, promptId: string, attempt: number, maxLosses?: number): Promise<void> {
    const problem = `Workers were lost ${maxLosses} times while they ran it, so it was given up: it may be the cause. Look at the logs of the workers; to go on, send another prompt.`;
    await queryWhenUp(this.#database, {
      text: RETRY,
      values: [sessionId, promptId, attempt, maxLosses ?? null, problem],
    });
  }

  /** Cancels an open prompt of a session, or all of them. Returns how many there are. */
  async cancel(sessionId: string, promptId?: string): Promise<number> {
    const rows = await queryWhenUp(this.#database, {
      text: `update helve.prompt set cancelled_at = coalesce(cancelled_at, now())
             where session = $1 and ended_at is null and ($2::text is null or id = $2)
             returning id, ${notify('steer', 'session')}, ${notify('due', 'session')}`,
      values: [sessionId, promptId ?? null],
    });
    return rows.length;
  }

  /** The ids of the prompts of these sessions that have not ended. */
  async open(sessionIds: readonly string[]): Promise<Map<string, Set<string>>> {
    const rows = await queryWhenUp<{ session: string; id: string }>(this.#database, {
      text: 'select session, id from helve.prompt where session = any($1) and ended_at is null',
      values: [sessionIds],
    });
    const open = new Map<string, Set<string>>();
    for (const { session, id } of rows) open.set(session, (open.get(session) ?? new Set()).add(id));
    return open;
  }

  /** How these prompts have ended. */
  async ends(wanted: ReadonlyArray<{ sessionId: string; promptId: string }>): Promise<EndedPrompt[]> {
    const rows = await queryWhenUp<{ session: string; id: string; outcome: string; problem: string | null }>(
      this.#database,
      {
        text: `select p.session, p.id, p.outcome, p.problem from helve.prompt p
               join unnest($1::text[], $2::text[]) as w (session, id) on p.session = w.session and p.id = w.id
               where p.ended_at is not null`,
        values: [wanted.map(({ sessionId }) => sessionId), wanted.map(({ promptId }) => promptId)],
      },
    );
    return rows.map(({ session, id, outcome, problem }) => ({ sessionId: session, promptId: id, outcome, problem }));
  }

  /** Of these sessions, those with a cancelled prompt that has not ended. */
  async cancelledIn(sessionIds: readonly string[]): Promise<string[]> {
    if (sessionIds.length === 0) return [];
    const { rows } = await this.#database.query<{ session: string }>(
      `select session from helve.prompt where session = any($1) and cancelled_at is not null and ended_at is null
       and begun_at is not null`,
      [sessionIds],
    );
    return rows.map(({ session }) => session);
  }

  /** Removes sessions without an open prompt that nothing was written to for this long, and workers lost before that. */
  async removeOld(days: number): Promise<void> {
    await this.#database.query(REMOVE_OLD, [days]);
  }

  async sessions(): Promise<FleetSession[]> {
    const rows = await queryWhenUp<SessionRow>(this.#database, { text: SESSIONS, values: [] });
    return rows.map(({ id, open_prompts, changed_at, repository, ref, ...facts }) => ({
      sessionId: id,
      ...facts,
      repository: repositoryIn({ repository, ref }),
      openPrompts: Number(open_prompts),
      changedAt: changed_at,
    }));
  }
}

interface ToRunRow extends RepositoryRow {
  root: string;
  project: string;
  cancelled_at: Date | null;
}

export interface RepositoryRow {
  repository: string | null;
  ref: string | null;
}

export const repositoryIn = ({ repository, ref }: RepositoryRow): WantedRepository | undefined =>
  repository === null ? undefined : { url: repository, ref: ref ?? undefined };

interface DueRow {
  session: string;
  id: string;
  number: string;
  attempt: number;
  priority: number;
  ahead: string;
  has_begun: boolean;
}

interface SessionRow extends RepositoryRow {
  id: string;
  title: string;
  project: string;
  root: string;
  state: FleetState;
  worker: string | null;
  open_prompts: string;
  changed_at: Date;
}

export const placeOf = (sessionId: string, promptId: string): string => `${sessionId}/prompts/${promptId}`;

/** As `accept` has written them. */
const blocksIn = (value: unknown): UserBlock[] =>
  Array.isArray(value) ? value.filter((block): block is UserBlock => isObject(block) && 'type' in block) : [];
