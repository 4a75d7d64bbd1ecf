// The questions of a session that wait for an answer. Any client may answer; the first answer counts. Without a client,
// a question waits. Nothing here decides about permission: an answer goes back to the call that asked.

import type { PermissionAnswer, PermissionQuestion } from '../contract/permission.js';
import type { Answer, Question } from '../contract/question.js';
import type { TrustReport } from '../settings/trust.js';

/** Settings and instruction files of a folder that apply only if the person trusts them. */
export interface TrustRequest {
  report: TrustReport;
  /** Instruction files that the model gets as notes only. */
  instructions: readonly string[];
}

export type OpenQuestion =
  | { kind: 'permission'; id: string; question: PermissionQuestion }
  /** Questions with choices, of the model or of a tool. */
  | { kind: 'choices'; id: string; questions: readonly Question[]; callId?: string | undefined }
  | ({ kind: 'trust'; id: string } & TrustRequest);

type QuestionOf<Kind extends OpenQuestion['kind']> = Extract<OpenQuestion, { kind: Kind }>;

/** What each kind is answered with. */
export interface QuestionAnswers {
  permission: PermissionAnswer;
  choices: Answer[];
  trust: boolean;
}

interface Waiting {
  question: OpenQuestion;
  settle(answer: unknown): void;
}

export class OpenQuestions {
  readonly #waiting = new Map<string, Waiting>();
  readonly #onChange: (question: OpenQuestion, isOpen: boolean) => void;
  #count = 0;

  /** `onChange` is called when a question is asked, and when it is answered or withdrawn. */
  constructor(onChange: (question: OpenQuestion, isOpen: boolean) => void) {
    this.#onChange = onChange;
  }

  get size(): number {
    return this.#waiting.size;
  }

  list(): OpenQuestion[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Resolves with the first answer. When the signal aborts, the question is withdrawn, and this rejects. */
  async ask<Kind extends OpenQuestion['kind']>(
    asked: Omit<QuestionOf<Kind>, 'id'>,
    signal: AbortSignal,
  ): Promise<QuestionAnswers[Kind]> {
    signal.throwIfAborted();
    this.#count += 1;
    const question = { ...asked, id: `question-${this.#count}` } as QuestionOf<Kind>; // the rest of it was given
    const answered = Promise.withResolvers<QuestionAnswers[Kind]>();
    const onAbort = (): void => answered.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    this.#waiting.set(question.id, {
      question,
      settle: (answer) => answered.resolve(answer as QuestionAnswers[Kind]), // `answer` checks that the kinds agree
    });
    this.#onChange(question, true);
    try {
      return await answered.promise;
    } finally {
      signal.removeEventListener('abort', onAbort);
      this.#close(question.id);
    }
  }

  /** Answers a question. Returns false if it was answered or withdrawn before. */
  answer<Kind extends OpenQuestion['kind']>(id: string, kind: Kind, answer: QuestionAnswers[Kind]): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting?.question.kind !== kind) return false;
    this.#close(id);
    waiting.settle(answer);
    return true;
  }

  #close(id: string): void {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    this.#waiting.delete(id);
    this.#onChange(waiting.question, false);
  }
}
