// The questions of a session in another process. Any client may answer; a question that was answered elsewhere is taken
// off the screen.
import type { OpenQuestion } from '../../host/open-questions.js';
import { messageOf } from '../../platform/message-of.js';
import type { AttachedSession, QuestionAnswer } from './attached-session.js';

export interface RemoteQuestionsOptions {
  session: Pick<AttachedSession, 'answer'>;
  /** Asks the person. Rejects when the signal aborts; undefined if the answer is not to be sent. */
  ask(question: OpenQuestion, signal: AbortSignal): Promise<QuestionAnswer | undefined>;
  tell(sentence: string): void;
  onProblem(sentence: string): void;
  /** Asks one after the other, where the one who shows them does not. */
  oneByOne?: boolean;
}

export class RemoteQuestions {
  readonly #options: RemoteQuestionsOptions;
  readonly #asking = new Map<string, AbortController>();
  #last: Promise<void> = Promise.resolve();
  #hasEnded = false;

  constructor(options: RemoteQuestionsOptions) {
    this.#options = options;
  }

  take({ question, isOpen }: { question: OpenQuestion; isOpen: boolean }): void {
    if (isOpen) this.#begin(question);
    else this.#asking.get(question.id)?.abort(new Error('It was answered elsewhere, or withdrawn.'));
  }

  /** The client leaves: its questions stay open in the session. */
  end(): void {
    this.#hasEnded = true;
    for (const controller of this.#asking.values()) controller.abort(new Error('The client has left.'));
  }

  #begin(question: OpenQuestion): void {
    if (this.#asking.has(question.id)) return;
    const controller = new AbortController();
    this.#asking.set(question.id, controller);
    const before = this.#options.oneByOne ? this.#last : Promise.resolve();
    this.#last = before
      .then(() => this.#answer(question, controller.signal))
      .catch((error: unknown) => {
        if (!controller.signal.aborted) this.#options.onProblem(messageOf(error));
        else if (!this.#hasEnded) this.#options.tell('The question was answered elsewhere, or withdrawn.');
      })
      .finally(() => this.#asking.delete(question.id));
  }

  async #answer(question: OpenQuestion, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const answer = await this.#options.ask(question, signal);
    if (answer === undefined || (await this.#options.session.answer(question.id, answer))) return;
    this.#options.tell('The question was answered elsewhere before.');
  }
}
