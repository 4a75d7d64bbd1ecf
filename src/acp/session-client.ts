// One client's view of one session: entries of the feed become updates, its questions requests. Everything goes out in
// one order, so that a question follows the call that it is about, and the answer to a prompt follows its last update.

import { sum } from '../agent/usage-by-model.js';
import type { UserBlock } from '../contract/message.js';
import type { Todo } from '../contract/todo.js';
import type { HostedSession } from '../host/hosted-session.js';
import type { OpenQuestion } from '../host/open-questions.js';
import type { FeedChange, FeedSubscription, PromptEnd } from '../host/session-feed.js';
import { messageOf } from '../platform/message-of.js';
import { toolTable } from '../tools/index.js';
import { type AskContext, askChoices, askForTrust, askPermission } from './ask-client.js';
import { type ClientQuestions, NoClientAnswer } from './client-questions.js';
import type { AcpUpdate, ClientAbilities } from './messages.js';
import { answeredBy } from './read-answer.js';
import { replay } from './replay.js';
import { configOptionsOf } from './session-options.js';
import { commandsOf, feedUpdates } from './session-updates.js';

export interface SessionClientOptions {
  session: HostedSession;
  abilities: ClientAbilities;
  /** Who answers, for the audit log. */
  actor?: string | undefined;
  questions: ClientQuestions;
  readBuffer(sessionId: string, path: string, signal: AbortSignal): Promise<string | undefined>;
  notify(method: string, params: Readonly<Record<string, unknown>>): Promise<void>;
  onProblem(sentence: string): void;
}

export class SessionClient {
  readonly #options: SessionClientOptions;
  readonly session: HostedSession;
  readonly #tools = toolTable();
  readonly #asking = new Map<string, AbortController>();
  readonly #ends = new Map<string, PromiseWithResolvers<PromptEnd>>();
  readonly #cancelled = new Set<string>();
  #subscription: FeedSubscription | undefined;
  #pumping: Promise<void> = Promise.resolve();
  #replaying: Promise<void> = Promise.resolve();
  /** Prompts that are sent back to the client although it has sent them: it has asked for the whole conversation. */
  #replayed: ReadonlySet<string> = new Set();
  #detachBuffers: (() => void) | undefined;
  #mode: string;
  #model: string;
  #todos: readonly Todo[] | undefined;
  #title: string;
  /** The usage that was sent last. */
  #usage = '';

  constructor(options: SessionClientOptions) {
    const { session } = options;
    this.#options = options;
    this.session = session;
    this.#mode = session.agent.mode;
    this.#model = session.conversation.model.current;
    this.#todos = session.agent.session.todos;
    this.#title = session.conversation.title;
  }

  /** Follows the session from now on. Does nothing if it does so already. */
  follow(): void {
    if (!this.#subscription) void this.#start({ fromStart: false });
  }

  /**
   * Sends the whole conversation, and follows it from there. Resolves once all of it was sent. A prompt that runs goes
   * on, and what it does meanwhile comes after what it has done so far.
   */
  replay(): Promise<void> {
    this.#replaying = this.#replaying.then(() => this.#replay());
    return this.#replaying;
  }

  /** The session goes on without this client. */
  detach(): void {
    for (const controller of this.#asking.values()) controller.abort(new Error('The client has left.'));
    this.#detachBuffers?.();
    this.#subscription?.end();
    this.#endPrompts();
  }

  async #replay(): Promise<void> {
    this.#subscription?.end();
    await this.#pumping;
    const { agent, conversation } = this.session;
    const facts = { ...this.#facts, findTool: (name: string) => agent.session.tools.find(name) };
    if (conversation.past) for await (const update of replay(conversation.past, facts)) await this.#update(update);
    this.#todos = agent.session.todos;
    if (this.#todos) await this.#update(plan(this.#todos));
    await this.#start({ fromStart: true });
  }

  async sendCommands(): Promise<void> {
    const availableCommands = await commandsOf(this.session.agent);
    await this.#update({ sessionUpdate: 'available_commands_update', availableCommands });
  }

  /** Resolves when the prompt has ended and all updates about it are sent. */
  async prompt(id: string, content: readonly UserBlock[]): Promise<{ end: PromptEnd; isCancelled: boolean }> {
    const sent = this.#ends.get(id);
    if (sent) return { end: await sent.promise, isCancelled: this.#cancelled.has(id) };
    const ended = Promise.withResolvers<PromptEnd>();
    this.#ends.set(id, ended);
    try {
      const ticket = this.session.prompt({ id, content });
      if (!ticket.isNew) void ticket.ended.then(ended.resolve);
      return { end: await ended.promise, isCancelled: this.#cancelled.has(id) };
    } finally {
      this.#ends.delete(id);
      this.#cancelled.delete(id);
    }
  }

  /** Ends one prompt of this client, or all prompts of the session. */
  cancel(id?: string): void {
    for (const own of id === undefined ? this.#ends.keys() : [id]) this.#cancelled.add(own);
    this.session.cancel(id);
  }

  get #facts() {
    return { tools: this.#tools, root: this.session.place.root };
  }

  /** Resolves once all that there was before is sent. */
  async #start({ fromStart }: { fromStart: boolean }): Promise<void> {
    const { feed, buffers, id: sessionId } = this.session;
    const prompts = [...feed.entries].filter(({ kind }) => kind === 'prompt');
    this.#replayed = new Set(fromStart ? prompts.map(({ id }) => id) : []);
    const subscription = feed.subscribe({ fromStart });
    this.#subscription = subscription;
    const { abilities, readBuffer } = this.#options;
    if (abilities.readTextFile) {
      this.#detachBuffers ??= buffers.attach((path, signal) => readBuffer(sessionId, path, signal));
    }
    const caughtUp = Promise.withResolvers<void>();
    this.#pumping = this.#pump(subscription, caughtUp.resolve)
      .catch((error: unknown) => this.#options.onProblem(messageOf(error)))
      .finally(caughtUp.resolve);
    await caughtUp.promise;
  }

  async #pump(subscription: FeedSubscription, onCaughtUp: () => void): Promise<void> {
    let left = subscription.waiting;
    if (left === 0) onCaughtUp();
    for await (const change of subscription) {
      await this.#send(change);
      left -= 1;
      if (left === 0) onCaughtUp();
    }
    if (this.session.feed.hasEnded) this.#endPrompts();
  }

  #endPrompts(): void {
    for (const [id, { resolve }] of this.#ends) {
      resolve({ error: new Error(`The session was closed before the prompt ${id} had ended.`) });
    }
  }

  async #send(change: FeedChange): Promise<void> {
    const { entry } = change;
    if (entry.kind === 'question') {
      if (entry.isOpen) this.#ask(entry.question);
      else this.#withdraw(entry.id);
      return;
    }
    if (entry.kind === 'commands') await this.sendCommands();
    if (entry.kind === 'prompt' && !this.#replayed.has(entry.id) && this.#ends.has(entry.id.replace(/^prompt:/, ''))) {
      return; // the client knows it
    }
    const { abilities } = this.#options;
    for (const update of feedUpdates(change, { ...this.#facts, abilities })) await this.#update(update);
    if (entry.kind === 'progress' || entry.kind === 'end' || entry.kind === 'commands') await this.#sendChanges();
    else await this.#sendMode();
    if (entry.kind === 'end') {
      await this.#sendTitle();
      this.#ends.get(entry.promptId)?.resolve(entry.end);
    }
  }

  /** What has changed in the session beside its feed. */
  async #sendChanges(): Promise<void> {
    const { agent, conversation } = this.session;
    const { todos } = agent.session;
    if (todos && todos !== this.#todos) {
      this.#todos = todos;
      await this.#update(plan(todos));
    }
    await this.#sendMode();
    const { total, window } = agent.contextUsage();
    const cost = sum(conversation.spentUsd, agent.session.used.costUsd);
    const [used, size] = [Math.max(0, Math.round(total)), Math.max(0, Math.round(window))];
    const usage = JSON.stringify([used, size, cost]);
    if (usage === this.#usage) return;
    this.#usage = usage;
    await this.#update({
      sessionUpdate: 'usage_update',
      used,
      size,
      ...(cost !== null && { cost: { amount: cost, currency: 'USD' } }),
    });
  }

  /** A tool, another client or an answer may have changed the mode; a command may have changed the model. */
  async #sendMode(): Promise<void> {
    const { mode } = this.session.agent;
    const model = this.session.conversation.model.current;
    if (mode === this.#mode && model === this.#model) return;
    const isOther = mode !== this.#mode;
    this.#mode = mode; // first: a change of this client and its entry in the feed are sent once
    this.#model = model;
    if (isOther) await this.#update({ sessionUpdate: 'current_mode_update', currentModeId: mode });
    await this.#update({ sessionUpdate: 'config_option_update', configOptions: configOptionsOf(this.session) });
  }

  /** To be called after the client itself has changed something. */
  async configChanged(): Promise<void> {
    await this.#sendMode();
  }

  async #sendTitle(): Promise<void> {
    const updatedAt = new Date().toISOString();
    const { title } = this.session;
    const isNew = title !== this.#title && title !== '';
    this.#title = title;
    await this.#update({ sessionUpdate: 'session_info_update', updatedAt, ...(isNew && { title }) });
  }

  #ask(question: OpenQuestion): void {
    if (this.#asking.has(question.id)) return; // its request is still open
    const controller = new AbortController();
    this.#asking.set(question.id, controller);
    void this.#answer(question, controller.signal)
      .catch((error: unknown) => {
        if (!controller.signal.aborted) this.#options.onProblem(messageOf(error));
      })
      .finally(() => this.#asking.delete(question.id));
  }

  #withdraw(id: string): void {
    this.#asking.get(id)?.abort(new Error('The question was answered or withdrawn.'));
  }

  async #answer(question: OpenQuestion, signal: AbortSignal): Promise<void> {
    const { questions } = this.session;
    const context: AskContext = {
      ...this.#facts,
      sessionId: this.session.id,
      hasForms: this.#options.abilities.forms,
      ask: async (method, params) => await this.#options.questions.ask(method, params, signal),
    };
    switch (question.kind) {
      case 'permission': {
        const answer = await askPermission(question.question, context).catch((error: unknown) => {
          if (!(error instanceof NoClientAnswer)) throw error;
          return { behavior: 'deny' as const, reason: error.message, isUnanswered: true as const };
        });
        questions.answer(question.id, 'permission', answeredBy(answer, this.#options.actor));
        return;
      }
      case 'choices': {
        const answers = await askChoices(question, context).catch((error: unknown) => {
          if (!(error instanceof NoClientAnswer)) throw error;
          return question.questions.map(() => ({ chosen: [] }));
        });
        questions.answer(
          question.id,
          'choices',
          answers.map((answer) => answeredBy(answer, this.#options.actor)),
        );
        return;
      }
      case 'trust': {
        const isTrusted = await askForTrust(question, question.id, context).catch((error: unknown) => {
          if (!(error instanceof NoClientAnswer)) throw error;
          return false;
        });
        questions.answer(question.id, 'trust', isTrusted);
        return;
      }
    }
  }

  async #update(update: AcpUpdate): Promise<void> {
    await this.#options.notify('session/update', { sessionId: this.session.id, update });
  }
}

const plan = (todos: readonly Todo[]): AcpUpdate => ({
  sessionUpdate: 'plan',
  entries: todos.map(({ content, status }) => ({ content, priority: 'medium', status })),
});
