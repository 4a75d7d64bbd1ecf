// One client and its session: opened with its first request, ended with the connection.
import { AsyncLocalStorage } from 'node:async_hooks';
import { abortable } from '../../platform/abortable.js';
import type { OpenSession, ServedCall, ServedResult, ServedSession } from './serve-port.js';
import { type AskClient, permissionAnswer, permissionForm, questionAnswers, questionForm } from './serve-questions.js';

export interface AskingCall extends ServedCall {
  ask: AskClient;
}

export class ServedConnection {
  readonly #open: OpenSession;
  readonly #controller = new AbortController();
  /** The request through which the user can be asked: a question belongs to the call that caused it. */
  readonly #asking = new AsyncLocalStorage<AskClient>();
  readonly #running = new Set<Promise<unknown>>();
  #session: ServedSession | undefined;
  #ending: Promise<void> | undefined;

  constructor(open: OpenSession) {
    this.#open = open;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** `canAsk` is read when the session begins: a client declares at the start whether it can show forms. */
  session({ canAsk }: { canAsk: boolean }): ServedSession {
    if (this.#ending) throw new Error('The session has ended.');
    this.#session ??= this.#open(
      canAsk
        ? {
            askPermission: async (question, signal) =>
              permissionAnswer(await this.#ask(permissionForm(question), signal), question),
            askUser: async (questions, signal) =>
              questionAnswers(await this.#ask(questionForm(questions), signal), questions),
          }
        : {},
    );
    return this.#session;
  }

  async run({ ask, ...call }: AskingCall, { canAsk }: { canAsk: boolean }): Promise<ServedResult> {
    const session = this.session({ canAsk });
    const signal = AbortSignal.any([call.signal, this.#controller.signal]);
    const running = this.#asking.run(ask, () => session.call({ ...call, signal }));
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends running calls and everything that they started. */
  end(): Promise<void> {
    this.#ending ??= this.#end();
    return this.#ending;
  }

  async #end(): Promise<void> {
    this.#controller.abort(new Error('The client has gone.'));
    await Promise.allSettled(this.#running);
    await this.#session?.end();
  }

  async #ask(...[form, signal]: Parameters<AskClient>): ReturnType<AskClient> {
    const ask = this.#asking.getStore();
    if (!ask) throw new Error('no request of the client is open to ask through');
    return await abortable(() => ask(form, signal), signal);
  }
}
