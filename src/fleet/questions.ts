// The open questions of the fleet's sessions. The worker of a session puts them here, any client may answer, and the first
// answer counts. A question ends with the epoch of its session: the next worker asks again, unless the same question about the
// same call was answered before its worker was lost.
import { isDeepStrictEqual } from 'node:util';
import type { OpenQuestion } from '../host/open-questions.js';
import { isObject } from '../platform/is-object.js';
import { parseJson } from '../platform/parse-json.js';
import { type Database, queryWhenUp } from './postgres.js';
import { notify } from './signals.js';
import type { SessionOwner } from './store/record-store.js';
import { openSealed, type Seal, sealedBytes } from './store/seal.js';

export interface FleetQuestion {
  sessionId: string;
  /** In its session. */
  questionId: string;
  /** Of the run that asks. */
  epoch: number;
  question: OpenQuestion;
}

export interface GivenAnswer {
  sessionId: string;
  questionId: string;
  /** As a client has sent it. */
  answer: unknown;
  actor: string;
}

export class FleetQuestions {
  readonly #database: Database;
  readonly #seal: Seal | undefined;

  constructor(database: Database, seal?: Seal) {
    this.#database = database;
    this.#seal = seal;
  }

  /** Puts a question here, with the answer that a worker before was given to the same one and has not acted on. */
  async asked(owner: SessionOwner, question: OpenQuestion): Promise<void> {
    const { sessionId, epoch } = owner;
    const before = await this.#answeredBefore(owner, question);
    const answer =
      before && sealedBytes(this.#seal, JSON.stringify(before.answer), placeOf(sessionId, `${question.id}/answer`));
    const { keyId, bytes } = sealedBytes(this.#seal, JSON.stringify(question), placeOf(sessionId, question.id));
    await queryWhenUp(this.#database, {
      text: `insert into helve.question (session, id, epoch, key_id, content, answer, actor)
             select $1, $2, $3, $4, $5, $6, $7 from helve.session where id = $1 and epoch = $3
             on conflict (session, id, epoch) do nothing
             returning ${notify('changed', 'session')}, ${notify('steer', 'session')}`,
      values: [sessionId, question.id, epoch, keyId, bytes, answer?.bytes, before?.actor],
    });
  }

  /** It was answered or withdrawn. */
  async closed({ sessionId, epoch }: SessionOwner, questionId: string): Promise<void> {
    await queryWhenUp(this.#database, {
      text: 'delete from helve.question where session = $1 and id = $2 and epoch <= $3',
      values: [sessionId, questionId, epoch],
    });
  }

  /** The prompt has ended: nothing that was asked before will be asked again. */
  async dropAll({ sessionId, epoch }: SessionOwner): Promise<void> {
    await queryWhenUp(this.#database, {
      text: 'delete from helve.question where session = $1 and epoch <= $2',
      values: [sessionId, epoch],
    });
  }

  /** Those that wait for an answer, the oldest first. */
  async open(sessionId: string): Promise<FleetQuestion[]> {
    const rows = await queryWhenUp<QuestionRow & { epoch: string }>(this.#database, {
      text: `select q.session, q.id, q.epoch, q.key_id, q.content from helve.question q
             join helve.session s on s.id = q.session and s.epoch = q.epoch
             where q.session = $1 and q.answer is null order by q.asked_at`,
      values: [sessionId],
    });
    return rows.flatMap((row) => {
      const question = this.#opened(row, placeOf(row.session, row.id));
      return isQuestion(question)
        ? [{ sessionId: row.session, questionId: row.id, epoch: Number(row.epoch), question }]
        : [];
    });
  }

  /** Returns false if it was answered or withdrawn before. */
  async answer({ sessionId, questionId, epoch }: FleetQuestion, answer: unknown, actor: string): Promise<boolean> {
    const place = placeOf(sessionId, `${questionId}/answer`);
    const { keyId, bytes } = sealedBytes(this.#seal, JSON.stringify(answer), place);
    const rows = await queryWhenUp(this.#database, {
      text: `update helve.question q set answer = $4, key_id = $3, actor = $5 from helve.session s
             where q.session = $1 and q.id = $2 and q.epoch = $6 and q.answer is null and s.id = q.session and s.epoch = q.epoch
             returning q.id, ${notify('steer', 'q.session')}`,
      values: [sessionId, questionId, keyId, bytes, actor, epoch],
    });
    return rows.length > 0;
  }

  /** The answers for these sessions that their worker has not taken. */
  async answered(sessionIds: readonly string[]): Promise<GivenAnswer[]> {
    if (sessionIds.length === 0) return [];
    const { rows } = await this.#database.query<QuestionRow & { actor: string }>(
      `select q.session, q.id, q.key_id, q.answer as content, q.actor from helve.question q
       join helve.session s on s.id = q.session and s.epoch = q.epoch
       where q.session = any($1) and q.answer is not null`,
      [sessionIds],
    );
    return rows.map((row) => ({
      sessionId: row.session,
      questionId: row.id,
      answer: this.#opened(row, placeOf(row.session, `${row.id}/answer`)),
      actor: row.actor,
    }));
  }

  /** Everything but the id must be the same: call, input, effects, and what the person was shown. */
  async #answeredBefore({ sessionId, epoch }: SessionOwner, question: OpenQuestion) {
    const rows = await queryWhenUp<QuestionRow & { answer: Buffer; actor: string }>(this.#database, {
      text: `select session, id, key_id, content, answer, actor from helve.question
             where session = $1 and epoch < $2 and answer is not null order by epoch desc`,
      values: [sessionId, epoch],
    });
    const same = rows.find((row) => {
      const asked = this.#opened(row, placeOf(sessionId, row.id));
      return isQuestion(asked) && isSame(asked, question);
    });
    if (!same) return undefined;
    const answer = this.#opened({ ...same, content: same.answer }, placeOf(sessionId, `${same.id}/answer`));
    return { answer, actor: same.actor };
  }

  #opened({ content, key_id }: QuestionRow, place: string): unknown {
    const plain = openSealed(this.#seal, { keyId: key_id, bytes: content }, place);
    return parseJson(Buffer.from(plain).toString());
  }
}

interface QuestionRow {
  session: string;
  id: string;
  key_id: string | null;
  content: Buffer;
}

const placeOf = (sessionId: string, questionId: string): string => `${sessionId}/questions/${questionId}`;

/** As `asked` has written it. */
const isQuestion = (value: unknown): value is OpenQuestion => isObject(value) && 'kind' in value && 'id' in value;

/** Trust in a folder is asked for again: it is another folder on another worker. */
function isSame(one: OpenQuestion, other: OpenQuestion): boolean {
  if (one.kind === 'trust' || callOf(one) === undefined) return false;
  return isDeepStrictEqual({ ...one, id: '' }, JSON.parse(JSON.stringify({ ...other, id: '' })));
}

const callOf = (asked: OpenQuestion): string | undefined =>
  asked.kind === 'permission' ? asked.question.callId : asked.kind === 'choices' ? asked.callId : undefined;
