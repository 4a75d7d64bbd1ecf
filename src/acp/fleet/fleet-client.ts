// One ACP client's view of one session of a fleet: entries of the feed become updates, its questions requests.
import { mayAct } from '../../contract/client-role.js';
import type { Tool } from '../../contract/tool.js';
import type { FleetServer } from '../../fleet/served/fleet-server.js';
import { questionIdOf, type SessionView } from '../../fleet/served/session-view.js';
import type { OpenQuestion } from '../../host/open-questions.js';
import type { FeedChange, FeedSubscription, PromptEnd } from '../../host/session-feed.js';
import { messageOf } from '../../platform/message-of.js';
import { toolTable } from '../../tools/index.js';
import { type AskContext, askChoices, askForTrust, askPermission } from '../ask-client.js';
import { type ClientQuestions, NoClientAnswer } from '../client-questions.js';
import type { AcpUpdate, ClientAbilities } from '../messages.js';
import type { ClientIdentity } from '../read-params.js';
import { replay } from '../replay.js';
import { feedUpdates } from '../session-updates.js';

export interface FleetClientOptions {
  server: FleetServer;
  sessionId: string;
  root: string;
  abilities: ClientAbilities;
  identity: ClientIdentity;
  questions: ClientQuestions;
  findTool(name: string): Tool | undefined;
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<void>;
  onProblem(sentence: string): void;
}

export class FleetClient {
  readonly #options: FleetClientOptions;
  readonly #tools = toolTable();
  readonly #asking = new Map<string, AbortController>();
  readonly #ends = new Map<string, PromiseWithResolvers<PromptEnd>>();
  #view: SessionView | undefined;
  #subscription: FeedSubscription | undefined;

  constructor(options: FleetClientOptions) {
    this.#options = options;
  }

  get root(): string {
    return this.#options.root;
  }

  /** Follows the session. `fromStart`: the whole conversation is sent first. False if there is no such session. */
  async follow({ fromStart }: { fromStart: boolean }): Promise<boolean> {
    if (this.#view && !fromStart) return true;
    const { server, sessionId, findTool, onProblem } = this.#options;
    this.#subscription?.end();
    const view = this.#view ?? (await server.views.take(sessionId));
    if (!view) return false;
    this.#view = view;
    if (fromStart)
      for await (const update of replay(view.past(), { ...this.#facts, findTool })) await this.#update(update);
    // A session of this client alone has no entries from before its first prompt.
    const subscription = view.feed.subscribe({ fromStart: fromStart || this.#ends.size > 0 });
    this.#subscription = subscription;
    this.#pump(subscription).catch((error: unknown) => onProblem(messageOf(error)));
    return true;
  }

  /** The client sends this prompt itself, and waits for its end. */
  expect(promptId: string): void {
    if (!this.#ends.has(promptId)) this.#ends.set(promptId, Promise.withResolvers<PromptEnd>());
    this.#view?.expect(promptId);
  }

  /** Resolves when the prompt, which was accepted, has ended and all updates about it are sent. */
  async ended(promptId: string): Promise<PromptEnd> {
    this.expect(promptId);
    try {
      return (await this.#ends.get(promptId)?.promise) ?? { error: new Error('The session was closed.') };
    } finally {
      this.#ends.delete(promptId);
    }
  }

  detach(): void {
    for (const controller of this.#asking.values()) controller.abort(new Error('The client has left.'));
    this.#subscription?.end();
    if (this.#view) this.#options.server.views.release(this.#options.sessionId);
    this.#view = undefined;
    for (const { resolve } of this.#ends.values()) resolve({ error: new Error('The session was closed.') });
  }

  get #facts() {
    return { tools: this.#tools, root: this.#options.root };
  }

  async #pump(subscription: FeedSubscription): Promise<void> {
    for await (const change of subscription) await this.#send(change);
    if (!this.#view?.feed.hasEnded) return;
    for (const { resolve } of this.#ends.values()) resolve({ error: new Error('The session was removed.') });
  }

  async #send(change: FeedChange): Promise<void> {
    const { entry } = change;
    const { abilities } = this.#options;
    if (entry.kind === 'question') {
      if (entry.isOpen) this.#ask(entry.question);
      else this.#asking.get(entry.id)?.abort(new Error('The question was answered or withdrawn.'));
      return;
    }
    const isOwn = entry.kind === 'prompt' && this.#ends.has(entry.id.replace(/^prompt:/, '')); // the client knows it
    if (!isOwn) for (const update of feedUpdates(change, { ...this.#facts, abilities })) await this.#update(update);
    if (entry.kind !== 'end') return;
    const title = this.#view?.row.title;
    const updatedAt = new Date().toISOString();
    await this.#update({ sessionUpdate: 'session_info_update', updatedAt, ...(title && { title }) });
    this.#ends.get(entry.promptId)?.resolve(entry.end);
  }

  #ask(question: OpenQuestion): void {
    if (this.#asking.has(question.id) || !mayAct(this.#options.identity.role, 'answer')) return;
    const controller = new AbortController();
    this.#asking.set(question.id, controller);
    void this.#answer(question, controller.signal)
      .catch((error: unknown) => {
        // One that gives no answer leaves the question to others.
        if (!controller.signal.aborted && !(error instanceof NoClientAnswer)) this.#options.onProblem(messageOf(error));
      })
      .finally(() => this.#asking.delete(question.id));
  }

  async #answer(question: OpenQuestion, signal: AbortSignal): Promise<void> {
    const { server, sessionId, identity, abilities, questions } = this.#options;
    const context: AskContext = {
      ...this.#facts,
      sessionId,
      hasForms: abilities.forms,
      ask: async (method, params) => await questions.ask(method, params, signal),
    };
    const given = await answerTo(question, context);
    const asked = {
      sessionId,
      questionId: questionIdOf(question.id),
      epoch: Number.parseInt(question.id, 10),
      question,
    };
    await server.questions.answer(asked, given, identity.actor ?? '');
  }

  async #update(update: AcpUpdate): Promise<void> {
    await this.#options.notify('session/update', { sessionId: this.#options.sessionId, update });
  }
}

async function answerTo(question: OpenQuestion, context: AskContext): Promise<unknown> {
  switch (question.kind) {
    case 'permission':
      return await askPermission(question.question, context);
    case 'choices':
      return await askChoices(question, context);
    case 'trust':
      return await askForTrust(question, question.id, context);
  }
}
