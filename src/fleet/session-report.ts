// What a person who sent prompts wants to know of a session: how each has ended and why, and what the model said last.
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { type Database, queryWhenUp } from './postgres.js';
import { recordLines } from './store/record-lines.js';
import type { RecordStore } from './store/record-store.js';

export interface SessionReport {
  prompts: PromptReport[];
  /** The text of the last message of the model that has one. */
  answer: string | undefined;
}

export interface PromptReport {
  id: string;
  actor: string;
  acceptedAt: Date;
  endedAt: Date | null;
  /** Null until it has ended. */
  outcome: string | null;
  problem: string | null;
  workersLost: number;
}

export async function sessionReport(database: Database, store: RecordStore, session: string): Promise<SessionReport> {
  const prompts = await queryWhenUp<PromptReport>(database, {
    text: `select id, actor, accepted_at as "acceptedAt", ended_at as "endedAt", outcome, problem, losses as "workersLost"
           from helve.prompt where session = $1 order by number`,
    values: [session],
  });
  let answer: string | undefined;
  for await (const line of recordLines(store, session, 'session.jsonl')) {
    if (line.startsWith('{"type":"assistant"')) answer = textIn(parseJson(line)) || answer;
  }
  return { prompts, answer };
}

function textIn(record: unknown): string {
  const content = isObject(record) ? record['content'] : undefined;
  if (!Array.isArray(content)) return '';
  const texts = content.map((block: unknown) => (isObject(block) && block['type'] === 'text' ? block['text'] : ''));
  return texts.filter((text) => typeof text === 'string' && text !== '').join('\n\n');
}
