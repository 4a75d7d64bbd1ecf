// Prompts that run at times of the day or the week, in UTC, on whichever worker has room. Every worker looks for those whose
// time has come, by the clock of the database; the statement that takes a time also adds its prompt, so each runs once.
import { nextTime, parseCron } from '../agent/schedule/cron.js';
import { titleOf } from '../agent/store/session-title.js';
import type { UserBlock } from '../contract/message.js';
import { randomHex, randomId } from '../platform/crypto.js';
import { type Database, DatabaseProblem, queryWhenUp } from './postgres.js';
import { placeOf as placeOfPrompt, type RepositoryRow, repositoryIn } from './prompts.js';
import { notify } from './signals.js';
import { openSealed, type Seal, sealedBytes } from './store/seal.js';
import type { WantedRepository } from './workspace/fleet-workspaces.js';

export interface NewSchedule {
  project: string;
  /** Empty with a repository: a worker makes the workspace. */
  root: string;
  repository: WantedRepository | undefined;
  /** Five fields, in UTC. */
  cron: string;
  prompt: string;
  priority: number;
  actor: string;
}

export interface FleetSchedule extends Omit<NewSchedule, 'prompt'> {
  id: string;
  title: string;
  nextAt: Date;
  lastAt: Date | null;
  lastSession: string | null;
}

export class FleetSchedules {
  readonly #database: Database;
  readonly #seal: Seal | undefined;

  constructor(database: Database, seal?: Seal) {
    this.#database = database;
    this.#seal = seal;
  }

  /** Rejects with `DatabaseProblem` if the line is not one. Returns the id. */
  async add({ project, root, repository, cron, prompt, priority, actor }: NewSchedule): Promise<string> {
    const id = randomHex(3);
    const content: UserBlock[] = [{ type: 'text', text: prompt }];
    const { keyId, bytes } = sealedBytes(this.#seal, JSON.stringify(content), placeOf(id));
    await queryWhenUp(this.#database, {
      text: `insert into helve.schedule (id, project, root, cron, title, priority, actor, key_id, content, next_at, repository, ref)
             values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict (id) do nothing`,
      values: [
        id,
        project,
        root,
        cron,
        titleOf(content),
        priority,
        actor,
        keyId,
        bytes,
        nextOf(cron, await this.#now()),
        repository?.url ?? null,
        repository?.ref ?? null,
      ],
    });
    return id;
  }

  async list(): Promise<FleetSchedule[]> {
    const rows = await queryWhenUp<Stored>(this.#database, {
      text: `select ${COLUMNS} from helve.schedule order by next_at`,
      values: [],
    });
    return rows.map(({ next_at: nextAt, last_at: lastAt, last_session: lastSession, repository, ref, ...rest }) => ({
      ...rest,
      repository: repositoryIn({ repository, ref }),
      nextAt,
      lastAt,
      lastSession,
    }));
  }

  /** False if there is none. */
  async remove(id: string): Promise<boolean> {
    const rows = await queryWhenUp(this.#database, {
      text: 'delete from helve.schedule where id = $1 returning id',
      values: [id],
    });
    return rows.length > 0;
  }

  /**
   * Sends the prompts whose time has come, each in a new session. A time that was missed runs once, as the latest. One that
   * comes while the session before still has work waits for it, and one over the limit of its project for the next day.
   */
  async sendDue(): Promise<void> {
    const { rows } = await this.#database.query<Stored & { key_id: string | null; content: Buffer; now: Date }>(
      `select ${COLUMNS}, key_id, content, now() as now from helve.schedule s where next_at <= now()
       and not exists (select from helve.prompt p where p.session = s.last_session and p.ended_at is null)
       and not exists (select from helve.project p join helve.used u on u.scope = 'project ' || p.name
         where p.name = s.project and u.day = (now() at time zone 'utc')::date and u.prompts >= p.per_day)`,
    );
    for (const { id, cron, next_at: at, key_id: keyId, content, now } of rows) {
      const [sessionId, promptId] = [randomId(), `schedule:${id}:${at.toISOString()}`];
      const plain = openSealed(this.#seal, { keyId, bytes: content }, placeOf(id));
      const sealed = sealedBytes(this.#seal, plain, placeOfPrompt(sessionId, promptId));
      await this.#database.query(TAKE, [id, at, nextOf(cron, now), sessionId, promptId, sealed.keyId, sealed.bytes]);
    }
  }

  async #now(): Promise<Date> {
    const [row] = await queryWhenUp<{ now: Date }>(this.#database, { text: 'select now() as now', values: [] });
    return row?.now ?? new Date();
  }
}

interface Stored extends RepositoryRow {
  id: string;
  project: string;
  root: string;
  cron: string;
  title: string;
  priority: number;
  actor: string;
  next_at: Date;
  last_at: Date | null;
  last_session: string | null;
}

const COLUMNS = 'id, project, root, cron, title, priority, actor, next_at, last_at, last_session, repository, ref';

const placeOf = (id: string): string => `schedules/${id}`;

function nextOf(line: string, after: Date): Date {
  const cron = parseCron(line, after, 'utc');
  if ('problem' in cron) throw new DatabaseProblem(cron.problem);
  const next = nextTime(cron, after, 'utc');
  if (next) return next;
  throw new DatabaseProblem(`"${line}" never fires: there is no such day.`);
}

/**
 * Takes the time $2, if no other worker has, and counts its prompt for the project on the day. The row is locked while the
 * statement runs, and compared again.
 */
const TAKE = `
  with due as (
    select project from helve.schedule where id = $1 and next_at = $2 for update
  ), project as (
    select name, per_day from helve.project where name = (select project from due) and per_day is not null
  ), of_project as (
    insert into helve.used as u (scope, day, prompts)
    select 'project ' || name, (now() at time zone 'utc')::date, 1 from project
    on conflict (scope, day) do update set prompts = u.prompts + 1 where u.prompts < (select per_day from project)
    returning scope
  ), taken as (
    update helve.schedule set next_at = $3, last_at = $2, last_session = $4
    where id = $1 and next_at = $2 and exists (select from due)
      and (not exists (select from project) or exists (select from of_project))
    returning project, root, repository, ref, title, priority, actor
  ), made as (
    insert into helve.session (id, epoch, project, root, repository, ref, title)
    select $4, 0, project, root, repository, ref, title from taken
  )
  insert into helve.prompt (session, project, id, priority, actor, key_id, content)
  select $4, project, $5, priority, actor, $6, $7 from taken returning ${notify('due', 'session')}, ${notify('changed', 'session')}`;
