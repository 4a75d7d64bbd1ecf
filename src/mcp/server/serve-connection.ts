// One client and its session: opened with its first request, ended with the connection.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { McpClientPort } from '../../contract/mcp-serving.js';
import { abortable } from '../../platform/abortable.js';
import { type InputRequests, type InputResponses, showsForms, supports } from './client-requests.js';
import type { OpenSession, ServedSession } from './serve-port.js';
import {
  answerIn,
  permissionAnswer,
  permissionForm,
  type QuestionForm,
  questionAnswers,
  questionForm,
  questionRequest,
} from './serve-questions.js';

/** The client that sent a request. */
export interface RequestingClient {
  /** As declared at the start of the connection or, since the revision of 2026-07-28, with the request. */
  readonly capabilities: unknown;
  readonly ask: AskClient;
}

/**
 * Sends requests to the client. `mayBeAnswered`: the answers may have come with the client's request already. Rejects if
 * that fails or the signal aborts.
 */
export type AskClient = (
  requests: InputRequests,
  signal: AbortSignal,
  options?: { mayBeAnswered: boolean },
) => Promise<InputResponses>;

export class ServedConnection {
  readonly #open: OpenSession;
  readonly #controller = new AbortController();
  /** The client through which the user can be asked: a question belongs to the request that caused it. */
  readonly #asking = new AsyncLocalStorage<RequestingClient>();
  readonly #running = new Set<Promise<unknown>>();
  /** By whether the client shows forms, which clients without sessions declare with each request. */
  readonly #sessions = new Map<boolean, ServedSession>();
  #ending: Promise<void> | undefined;
  /** For code that runs within `run`. */
  readonly client: McpClientPort = {
    supports: (method) => supports(this.#asking.getStore()?.capabilities, method),
    request: (requests, signal) => this.#ask(requests, signal, { mayBeAnswered: true }),
  };

  constructor(open: OpenSession) {
    this.#open = open;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  session({ capabilities }: Pick<RequestingClient, 'capabilities'>): ServedSession {
    if (this.#ending) throw new Error('The session has ended.');
    const canAsk = showsForms(capabilities);
    const open = this.#sessions.get(canAsk);
    if (open) return open;
    const session = this.#open({ mcpClient: this.client, ...(canAsk && this.#questions()) });
    this.#sessions.set(canAsk, session);
    return session;
  }

  /** Runs work that may ask the client, until it is done, or aborted with the request or the connection. */
  async run<Result>(
    work: (signal: AbortSignal) => Promise<Result>,
    { client, signal }: { client: RequestingClient; signal: AbortSignal },
  ): Promise<Result> {
    const either = AbortSignal.any([signal, this.#controller.signal]);
    const running = this.#asking.run(client, () => work(either));
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
    await Promise.all([...this.#sessions.values()].map((session) => session.end()));
  }

  #questions(): Omit<Parameters<OpenSession>[0], 'mcpClient'> {
    const show = async (form: QuestionForm, signal: AbortSignal) =>
      answerIn(await this.#ask(questionRequest(form), signal));
    return {
      askPermission: async (question, signal) =>
        permissionAnswer(await show(permissionForm(question), signal), question),
      askUser: async (questions, signal) => questionAnswers(await show(questionForm(questions), signal), questions),
    };
  }

  async #ask(...[requests, signal, options]: Parameters<AskClient>): Promise<InputResponses> {
    const client = this.#asking.getStore();
    if (!client) throw new Error('no request of the client is open to ask through');
    return await abortable(() => client.ask(requests, signal, options), signal);
  }
}
