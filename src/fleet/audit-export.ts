// The audit logs of all sessions of a fleet, with the prompts and those who sent them.
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { type Database, queryWhenUp } from './postgres.js';
import { recordLines } from './store/record-lines.js';
import type { RecordStore } from './store/record-store.js';

const PAGE = 200; // sessions that are looked up at once

export interface AuditWanted {
  project?: string | undefined;
  /** Only sessions that were written to since, and what is in them since then. */
  since?: Date | undefined;
}

export type FleetAuditRow = Readonly<Record<string, unknown>> & { session: string; project: string };

/** Session by session, each in the order of its log. */
export async function* auditRows(
  database: Database,
  store: RecordStore,
  { project, since }: AuditWanted,
): AsyncGenerator<FleetAuditRow, void, void> {
  for (let after = ''; ; ) {
    const sessions = await queryWhenUp<{ id: string; project: string }>(database, {
      text: `select id, project from helve.session where id > $1 and ($2::text is null or project = $2)
             and ($3::timestamptz is null or greatest(written_at, changed_at) >= $3) order by id limit ${PAGE}`,
      values: [after, project ?? null, since ?? null],
    });
    for (const session of sessions) {
      for await (const row of rowsOf(database, store, session.id)) {
        const at = typeof row['at'] === 'string' ? new Date(row['at']) : undefined;
        if (!since || (at && at >= since)) yield { session: session.id, project: session.project, ...row };
      }
    }
    const last = sessions.at(-1);
    if (!last) return;
    after = last.id;
  }
}

async function* rowsOf(database: Database, store: RecordStore, session: string) {
  const prompts = await queryWhenUp<PromptRow>(database, {
    text: `select id, actor, accepted_at, ended_at, outcome, attempt, losses from helve.prompt
           where session = $1 order by number`,
    values: [session],
  });
  for (const { id, actor, accepted_at, ended_at, outcome, losses } of prompts) {
    yield {
      at: accepted_at.toISOString(),
      type: 'prompt',
      prompt: id,
      actor,
      outcome,
      ended: ended_at?.toISOString() ?? null,
      workersLost: losses,
    };
  }
  const actors = new Map(prompts.map(({ id, actor }) => [id, actor]));
  const promptOf = await promptsOfCalls(store, session);
  for await (const line of recordLines(store, session, 'audit.jsonl')) {
    const entry = parseJson(line);
    if (!isObject(entry)) continue; // cut by a kill
    const { call, parent, prev: _prev, hash: _hash, ...rest } = entry;
    const prompt = promptOf.get(String(call)) ?? promptOf.get(String(parent));
    if (typeof call === 'string' && prompt !== undefined) promptOf.set(call, prompt); // later entries name no parent
    yield {
      ...rest,
      ...(call !== undefined && { call }),
      ...(parent !== undefined && { parent }),
      ...(prompt !== undefined && { prompt, actor: actors.get(prompt) ?? null }),
    };
  }
}

interface PromptRow {
  id: string;
  actor: string;
  accepted_at: Date;
  ended_at: Date | null;
  outcome: string | null;
  losses: number;
}

/** By the order in the log of the session: clocks of workers and of the database may differ. */
async function promptsOfCalls(store: RecordStore, session: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let prompt: string | undefined;
  for await (const line of recordLines(store, session, 'session.jsonl')) {
    if (!line.includes('"promptId"') && !line.includes('"tool_use"')) continue;
    const record = parseJson(line);
    if (!isObject(record)) continue;
    if (typeof record['promptId'] === 'string') prompt = record['promptId'].replace(/^unfinished:/, '');
    for (const id of callsIn(record)) if (prompt !== undefined) found.set(id, prompt);
  }
  return found;
}

/** The ids of the blocks in it that are calls. */
function callsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(callsIn);
  if (!isObject(value)) return [];
  if (value['type'] === 'tool_use' && typeof value['id'] === 'string') return [value['id']];
  return [value['content'], value['block'], value['message']].flatMap(callsIn);
}
