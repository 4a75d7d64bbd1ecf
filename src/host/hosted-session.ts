// One session with its clients. A client reads the feed, sends prompts and answers questions; it may come and go, and
// there may be several. The session does not notice.

import { titleOf } from '../agent/store/session-title.js';
import type { FullAgent } from '../compose/create-agent.js';
import type { EditorBuffers } from '../contract/editor-buffers.js';
import { needsPerson, type RunResult } from '../contract/event.js';
import type { AskPermission, PermissionMode } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import { MAX_TIMER_MS } from '../platform/clock.js';
import { messageOf } from '../platform/message-of.js';
import { ClientBuffers } from './client-buffers.js';
import { FeedWriter } from './feed-writer.js';
import type {
  CloseReason,
  ConversationPorts,
  HostedConversation,
  OpenConversation,
  SessionPlace,
} from './hosted-conversation.js';
import { OpenQuestions } from './open-questions.js';
import { type PastEntry, pastEntries } from './past-entries.js';
import { type HostPrompt, HostPromptQueue, type PromptTicket, type QueuedRun } from './prompt-queue.js';
import { type SessionFacts, sessionFacts } from './session-facts.js';
import { type HostState, type PromptEnd, SessionFeed } from './session-feed.js';

export class HostedSession {
  readonly feed = new SessionFeed();
  readonly questions: OpenQuestions;
  readonly buffers = new ClientBuffers((sentence) => this.#writer.notice(sentence));
  readonly place: SessionPlace;
  readonly #open: OpenConversation;
  readonly #writer = new FeedWriter(this.feed, () => this.facts);
  readonly #prompts: HostPromptQueue;
  #conversation: HostedConversation;
  #isRunning = false;
  #hasFailed = false;
  #hasAskedForTrust = false;
  #title = '';
  /** Chosen by a client. */
  #newTitle: string | undefined;
  #closed: Promise<readonly string[]> | undefined;

  private constructor(place: SessionPlace, open: OpenConversation, conversation: HostedConversation) {
    this.place = place;
    this.#open = open;
    this.#conversation = conversation;
    this.questions = new OpenQuestions((question, isOpen) => {
      this.feed.put({ kind: 'question', id: question.id, question, isOpen });
      this.#noteState();
    });
    this.#prompts = new HostPromptQueue((prompt) => this.#run(prompt));
    this.#noteState();
  }

  /** Opens the conversation first: a session exists only with one. */
  static async open(place: SessionPlace, open: OpenConversation): Promise<HostedSession> {
    const late = new LatePorts();
    const session = new HostedSession(place, open, await open(place, late));
    late.set(session.#ports);
    return session;
  }

  get id(): string {
    return this.#conversation.agent.id;
  }

  /** From the first prompt, unless the session has had a title before. */
  get title(): string {
    if (this.#newTitle !== undefined) return this.#newTitle;
    return this.#conversation.title === '' ? this.#title : this.#conversation.title;
  }

  get conversation(): HostedConversation {
    return this.#conversation;
  }

  get agent(): FullAgent {
    return this.#conversation.agent;
  }

  get facts(): SessionFacts {
    return sessionFacts(this.#conversation);
  }

  get state(): HostState {
    if (this.questions.size > 0) return 'requires_action';
    if (this.#isRunning) return 'running';
    return this.#hasFailed ? 'failed' : 'idle';
  }

  /** What was said before the session was resumed. */
  async pastEntries(): Promise<PastEntry[]> {
    const { past } = this.#conversation;
    return past ? await Array.fromAsync(pastEntries(past, (name) => this.agent.session.tools.find(name))) : [];
  }

  /** Makes the session known to other processes by its id, before its first prompt. */
  async announce(): Promise<void> {
    await this.agent.announce();
  }

  /** Runs the prompt after those before it. One with a known id does not run again. Throws `PromptRefused`. */
  prompt(prompt: HostPrompt): PromptTicket {
    return this.#prompts.add(prompt);
  }

  /** Whether the prompt was sent before, also to an earlier process. Throws `PromptRefused` if its id was another's. */
  knows(prompt: HostPrompt): boolean {
    if (this.#prompts.knows(prompt.id)) return !this.#prompts.add(prompt).isNew;
    return this.#conversation.left?.promptIds.includes(prompt.id) === true;
  }

  /** Whether prompts run or wait. */
  get isBusy(): boolean {
    return this.#prompts.isBusy;
  }

  /** Ends the prompt, or all of them: the one that runs and those that wait. */
  cancel(promptId?: string): boolean {
    return this.#prompts.cancel(promptId);
  }

  /** Why the mode is not available; undefined if it is. */
  refuseMode(mode: PermissionMode): string | undefined {
    return this.#conversation.refuseMode(mode);
  }

  setMode(mode: PermissionMode): void {
    this.agent.mode = mode;
    this.#writer.progress();
  }

  rename(title: string): void {
    this.#newTitle = title;
    this.agent.rename(title);
  }

  /** Tells clients that the mode, the model or the title may have changed. */
  noteChange(): void {
    this.#writer.progress();
  }

  /**
   * Cancels everything, ends what calls have left running, and closes the conversation; once. Returns sentences for the
   * person: what became of its worktree.
   */
  close(why: CloseReason = 'left'): Promise<readonly string[]> {
    this.#closed ??= this.#close(why);
    return this.#closed;
  }

  /** Ends every process at once, without waiting: for the moment before the program exits. */
  killAll(): void {
    this.agent.session.killAll();
  }

  async #close(why: CloseReason): Promise<readonly string[]> {
    await this.#prompts.close();
    try {
      const told = await this.#conversation.close(why === 'rested' && this.#hasFailed ? 'left' : why);
      for (const sentence of told) this.#writer.notice(sentence);
      return told;
    } finally {
      this.feed.end();
    }
  }

  async #run(prompt: QueuedRun): Promise<PromptEnd> {
    const { signal } = prompt.controller;
    if (!prompt.isUnfinished) {
      this.feed.put({ kind: 'prompt', id: `prompt:${prompt.id}`, content: prompt.content });
    }
    this.#title ||= titleOf(prompt.content);
    this.#isRunning = true;
    this.#hasFailed = false;
    this.#noteState();
    let end: PromptEnd;
    try {
      await this.#askForTrust(signal);
      end = { result: await this.#runToEnd(prompt, signal) };
    } catch (error) {
      end = { error: error instanceof Error ? error : new Error(messageOf(error)) };
    }
    this.#writer.endRun();
    this.#isRunning = false;
    this.#hasFailed = !signal.aborted && ('error' in end || needsPerson(end.result.outcome));
    this.feed.put({ kind: 'end', id: `end:${prompt.id}`, promptId: prompt.id, end });
    this.#noteState();
    return end;
  }

  async #runToEnd({ id, content, isUnfinished }: QueuedRun, signal: AbortSignal): Promise<RunResult> {
    signal.throwIfAborted();
    this.#conversation.begin();
    let result: RunResult | undefined;
    this.agent.session.promptId = id;
    const run = isUnfinished ? this.agent.runUnfinished({ signal }) : this.agent.run(content, { signal });
    for await (const event of run) {
      if (event.type === 'result') result = event;
      else this.#writer.take(event);
    }
    if (!result) throw new Error('The run ended without a result.');
    return result;
  }

  /** Before the first prompt: settings of the folder that need trust do not apply until a person has agreed to them. */
  async #askForTrust(signal: AbortSignal): Promise<void> {
    if (this.#hasAskedForTrust) return;
    const request = this.#conversation.pendingTrust();
    if (!request) return;
    const isTrusted = await this.agent.whileAsking('Do you trust the settings of this folder?', () =>
      this.questions.ask<'trust'>({ kind: 'trust', ...request }, signal),
    );
    this.#hasAskedForTrust = true;
    if (!isTrusted) {
      this.#writer.notice(
        'The settings and instructions of this folder that need trust are ignored. To look at them and trust the folder: helve config trust.',
      );
      return;
    }
    await this.#conversation.trust();
    await this.#reopen();
  }

  /** With the settings that apply now. The mode and the model that a client has chosen meanwhile are kept. */
  async #reopen(): Promise<void> {
    const { id } = this;
    const chosen = { mode: this.agent.mode, model: this.#conversation.model.current };
    const { root } = this.agent.session; // a worktree that was made is used again
    await this.#conversation.close('left');
    this.#conversation = await this.#open({ ...this.place, root, id, ...chosen }, this.#ports);
    this.feed.put({ kind: 'commands', id: 'commands', changes: 1 });
  }

  #noteState(): void {
    const { state } = this;
    if (this.feed.get('state', 'state')?.state !== state) this.feed.put({ kind: 'state', id: 'state', state });
  }

  readonly #askPermission: AskPermission = async (question, signal) => {
    const asked = { kind: 'permission', question } as const;
    const answer = await this.#withinLimit(signal, (limit) => this.questions.ask<'permission'>(asked, limit));
    return answer ?? { behavior: 'deny', reason: this.#whyUnanswered, isUnanswered: true };
  };

  readonly #askUser: AskUser = async (questions, signal, about) => {
    const asked = { kind: 'choices', questions, callId: about?.callId } as const;
    const answers = await this.#withinLimit(signal, (limit) => this.questions.ask<'choices'>(asked, limit));
    return answers ?? questions.map(() => ({ chosen: [] }));
  };

  /** Undefined if there was no answer in time, which the person gets a notice about. */
  async #withinLimit<Value>(
    signal: AbortSignal,
    ask: (limit: AbortSignal) => Promise<Value>,
  ): Promise<Value | undefined> {
    const { answerLimitMs } = this.#conversation;
    if (answerLimitMs === undefined) return await ask(signal);
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), Math.min(answerLimitMs, MAX_TIMER_MS));
    try {
      return await ask(AbortSignal.any([signal, limit.signal]));
    } catch (error) {
      if (signal.aborted || !limit.signal.aborted) throw error;
      this.#writer.notice(`A question was denied: ${this.#whyUnanswered}.`);
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }

  get #whyUnanswered(): string {
    const minutes = Math.round((this.#conversation.answerLimitMs ?? 0) / 60_000);
    return `no one answered within ${minutes} minutes, the limit that the setting background.answerMinutes sets`;
  }

  get #ports(): ConversationPorts {
    return {
      askPermission: this.#askPermission,
      askUser: this.#askUser,
      tell: (text) => this.#writer.notice(text),
      buffers: this.buffers,
    };
  }
}

/** Stands in while the conversation is opened, which asks nothing yet. */
class LatePorts implements ConversationPorts {
  #ports: ConversationPorts | undefined;
  readonly #told: string[] = [];

  set(ports: ConversationPorts): void {
    this.#ports = ports;
    for (const sentence of this.#told) ports.tell(sentence);
  }

  readonly askPermission: AskPermission = async (question, signal) => {
    if (!this.#ports) return { behavior: 'deny', reason: 'the session is not open yet', isUnanswered: true };
    return await this.#ports.askPermission(question, signal);
  };

  readonly buffers: EditorBuffers = {
    textOf: async (path, signal) => await this.#ports?.buffers.textOf(path, signal),
  };

  readonly askUser: AskUser = async (questions, signal, about) => {
    if (!this.#ports) return questions.map(() => ({ chosen: [] }));
    return await this.#ports.askUser(questions, signal, about);
  };

  readonly tell = (sentence: string): void => {
    if (this.#ports) this.#ports.tell(sentence);
    else this.#told.push(sentence);
  };
}
