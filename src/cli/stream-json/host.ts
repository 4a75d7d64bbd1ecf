// A conversation with a host program over stdin and stdout, one JSON object per line.
import type { Readable } from 'node:stream';
import type { FullAgent } from '../../compose/create-agent.js';
import type { FullEngineOptions } from '../../compose/options.js';
import type { AgentEvent, RunResult } from '../../contract/event.js';
import type { ModelEvent } from '../../contract/model.js';
import type { HookCallbacks } from '../../contract/options.js';
import type { PermissionMode } from '../../contract/permission.js';
import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import { type FinishedRun, noResult, RunEnd } from '../headless/finish-run.js';
import type { ModelWatch } from '../watched-model.js';
import { ControlChannel, type Line, type WriteOut } from './control-channel.js';
import { EventLines } from './event-lines.js';
import { detached, type HostPort, hostRequests } from './host-handlers.js';
import { HostHooks, neverFired } from './host-hooks.js';
import type { HostOptions, HostParts } from './host-options.js';
import { handleRequest, type RequestHandler, RequestRefused } from './host-requests.js';
import { HostServerLinks } from './host-servers.js';
import { begunWith } from './host-session-facts.js';
import { type HostSetup, noSetup, readSetup } from './host-setup.js';
import { IdleWork } from './idle-work.js';
import { LeftWork } from './left-work.js';
import { runLocalCommand } from './local-commands.js';
import { probeOnceOrphaned } from './orphan-probe.js';
import { Pace } from './pace.js';
import { type HostMessage, MAX_LINE_BYTES, mayInitialize, parseInput, tooLong } from './parse-input.js';
import { PartialMessages } from './partial-messages.js';
import { PermissionBridge } from './permission-bridge.js';
import { PromptChanges } from './prompt-changes.js';
import { PromptQueue, type QueuedPrompt } from './prompt-queue.js';
import { readInputLines } from './read-input-lines.js';
import { SessionTotals } from './session-totals.js';
import { SlowReaderGuard } from './slow-reader-guard.js';

export class Host {
  readonly #options: HostOptions;
  readonly #pace = new Pace();
  readonly #queue = new PromptQueue();
  readonly #channel: ControlChannel;
  readonly #lines: EventLines;
  readonly #hooks: HostHooks;
  readonly #links: HostServerLinks;
  readonly #requests: Readonly<Record<string, RequestHandler>>;
  /** Settled by the first message that needs the conversation. */
  readonly #setUp = Promise.withResolvers<HostSetup>();
  readonly #attached = Promise.withResolvers<HostParts>();
  #setup: HostSetup | undefined;
  #setupText = '';
  #agent: FullAgent | undefined;
  #end = new RunEnd({});
  #reading: Promise<void> | undefined;
  readonly #changes = new PromptChanges();
  readonly #idle = new IdleWork();
  readonly #totals = new SessionTotals();
  readonly #left: LeftWork;
  #partial = new PartialMessages();
  readonly #slowReaders = new SlowReaderGuard();
  /** Why the last `initialize` was refused: no prompt may run without the hooks that it would have registered. */
  #refusedInitialize: string | undefined;
  /** Notices about `initialize` that were already given: it may come again. */
  readonly #told = new Set<string>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#channel = new ControlChannel(this.#write);
    this.#lines = new EventLines({ ...options, findAgent: (id) => this.#agent?.session.agents?.find(id) });
    this.#hooks = new HostHooks(
      this.#channel,
      options.hookEvents ? ({ subtype, ...facts }) => this.#tell(this.#lines.system(subtype, facts)) : undefined,
    );
    this.#left = new LeftWork({ lines: this.#lines, hooks: this.#hooks, tell: (line) => this.#tell(line) });
    this.#links = new HostServerLinks(this.#channel);
    this.#requests = { ...this.#ownRequests, ...hostRequests(this.#port) };
    this.#attached.promise.catch(() => {});
  }

  addHooks(hooks: HookCallbacks): void {
    this.#hooks.add(hooks);
  }

  /** Begins to read. Resolves with what the host says about the conversation before it begins. */
  async open(input: Readable, signal: AbortSignal): Promise<HostSetup> {
    for (const text of this.#options.notices) this.#notice(text);
    this.#reading = this.#read(input, signal);
    this.#reading.catch(() => this.#queue.stop()).finally(() => this.#begin(noSetup)); // thrown by `converse`
    return await this.#setUp.promise;
  }

  /** The conversation can't begin: answers `initialize` with the reason, and reads no more. */
  async abandon(reason: unknown, input: Readable): Promise<void> {
    this.#attached.reject(reason);
    input.destroy();
    await this.#reading?.catch(() => {});
  }

  #begin(setup: HostSetup): void {
    this.#setup ??= setup;
    this.#setUp.resolve(this.#setup);
  }

  /** The host stopped reading, and some output is left. */
  get hasGivenUp(): boolean {
    return this.#slowReaders.hasGivenUp;
  }

  /** The agent options that the host provides. */
  get agentOptions(): Pick<FullEngineOptions, 'askPermission' | 'askUser' | 'saveRule' | 'hooks' | 'hostServers'> {
    const own = { hooks: this.#hooks.callbacks, hostServers: this.#links };
    if (!this.#options.asksHost) return own;
    const { askPermission, askUser, saveRule } = new PermissionBridge({
      channel: this.#channel,
      caughtUp: () => this.#pace.caughtUp(),
      interrupt: () => void this.#queue.interrupt(),
      setMode: (mode) => this.#setMode(mode),
      notice: (text) => this.#notice(text),
      saveRule: this.#options.saveRule,
    });
    return { ...own, askPermission: this.#waiting(askPermission), askUser: this.#waiting(askUser), saveRule };
  }

  /** Makes the model wait until the host has read its output. */
  get watch(): ModelWatch {
    return {
      before: async () => {
        this.#partial = new PartialMessages();
        await this.#pace.caughtUp();
      },
      onEvent: async (event, { aside }) => {
        if (!aside) await this.#onModelEvent(event);
      },
    };
  }

  /** Adds a prompt that does not come from the host, and accepts no more after it. */
  promptOnly(text: string): void {
    this.#queue.add({ content: [{ type: 'text', text }], uuid: undefined });
    this.#queue.end();
  }

  /** Runs prompts until no more come, or the signal aborts. Returns the last result. */
  async converse(parts: HostParts, signal: AbortSignal): Promise<FinishedRun | undefined> {
    const { agent, model } = parts;
    this.#agent = agent;
    this.#end = parts.end;
    this.#attached.resolve(parts);
    let endLimit = (): void => {};
    const stop = (): void => {
      this.#channel.close('the session is ending');
      this.#queue.stop();
      endLimit = this.#slowReaders.limit();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const endProbe = probeOnceOrphaned(this.#write);
    let last: FinishedRun | undefined;
    try {
      for (let prompt = await this.#queue.next(); prompt; prompt = await this.#queue.next()) {
        if (this.#refusedInitialize !== undefined) {
          last = await this.#refusePrompt(this.#refusedInitialize);
          continue;
        }
        await this.#idle.begin();
        model.begin();
        await this.#state('running');
        last = await this.#run(agent, prompt, signal);
        this.#idle.end();
        await this.#state('idle');
      }
      if (!signal.aborted) await this.#reading;
    } finally {
      endProbe();
      endLimit();
      signal.removeEventListener('abort', stop);
    }
    return last;
  }

  async #run(agent: FullAgent, prompt: QueuedPrompt, signal: AbortSignal): Promise<FinishedRun> {
    const { replayPrompts } = this.#options;
    const end = this.#end;
    this.#changes.begin(prompt.uuid);
    this.#options.transcript?.prompt(prompt.content, prompt.uuid);
    const ended = AbortSignal.any([signal, prompt.controller.signal]);
    let result: RunResult | undefined;
    end.begin();
    this.#hooks.begin();
    try {
      const local = await runLocalCommand(agent, prompt.content, {
        signal: ended,
        write: (event) => this.#writeEvent(event),
      });
      if (local) result = local;
      for await (const event of local ? [] : this.#pace.follow(agent.run(prompt.content, { signal: ended }))) {
        this.#changes.see(event);
        this.#totals.see(event);
        end.see(event, () => prompt.controller.abort(new Error('Given up.')));
        if (event.type === 'result') result = event;
        else await this.#writeEvent(event);
        await this.#left.see(agent, event);
        if (event.type === 'session_start' && replayPrompts) {
          await this.#write(this.#lines.replay(prompt.content, prompt.uuid));
        }
      }
    } catch (error) {
      // Any error ends only this run: it is reported to the host, which may continue.
      result = noResult(error, { interrupted: ended.aborted });
    }
    const run = end.finish(result ?? noResult(new Error('The run ended without a result.'), { interrupted: false }));
    this.#totals.modelMs += run.modelMs;
    await this.#write(this.#lines.result(run));
    return run;
  }

  async #refusePrompt(reason: string): Promise<FinishedRun> {
    const sentence = `The prompt was not run, because initialize was refused, so hooks of the host may be missing: ${reason} Send an initialize that is accepted, then the prompt again.`;
    const run = this.#end.finish(noResult(new Error(sentence), { interrupted: false }));
    await this.#write(this.#lines.result(run));
    return run;
  }

  async #writeEvent(event: AgentEvent): Promise<void> {
    for (const line of this.#lines.lines(event)) await this.#write(line);
  }

  async #onModelEvent(event: ModelEvent): Promise<void> {
    this.#lines.note(event);
    if (!this.#options.partialMessages) return;
    for (const raw of this.#partial.events(event)) {
      const line = this.#lines.line({ type: 'stream_event', event: raw, parent_tool_use_id: null });
      await this.#write(line);
    }
  }

  async #read(input: Readable, signal: AbortSignal): Promise<void> {
    let number = 0;
    for await (const line of readInputLines(input, { maxBytes: MAX_LINE_BYTES, signal })) {
      number += 1;
      if ('text' in line && line.text.trim() === '') continue;
      try {
        const problem = 'tooLong' in line ? tooLong(line.tooLong) : await this.#takeLine(line.text);
        if (problem !== undefined) await this.#complain(number, problem);
      } catch (error) {
        await this.#complain(number, messageOf(error));
      }
    }
    this.#channel.close('the host closed its input, so it can not answer');
    this.#queue.end();
  }

  async #complain(line: number, problem: string): Promise<void> {
    const error = `Line ${line} of the input was left out: ${problem}.`;
    await this.#write(this.#lines.system('input_error', { line, error }));
  }

  async #takeLine(text: string): Promise<string | undefined> {
    const message = parseInput(text);
    if (message.type === 'problem' && mayInitialize(text)) this.#refusedInitialize = `${message.problem}.`;
    return await this.#take(message);
  }

  /** Returns what is wrong with the message, if anything. */
  async #take(message: HostMessage): Promise<string | undefined> {
    switch (message.type) {
      case 'user':
        this.#begin(noSetup);
        return this.#queue.add({ content: message.content, uuid: message.uuid ?? randomId() });
      case 'control_request':
        if (detached.has(message.request.subtype)) void this.#serve(message);
        else await this.#serve(message);
        return undefined;
      case 'control_response':
        this.#channel.answer(message.requestId, message.response);
        return undefined;
      case 'control_cancel_request':
        this.#channel.cancel(message.requestId);
        return undefined;
      case 'keep_alive':
        return undefined;
      case 'problem':
        if (message.requestId === undefined) return message.problem;
        await this.#channel.refuse(message.requestId, `The request was not understood: ${message.problem}.`);
        return undefined;
    }
  }

  async #serve({ requestId, request }: Extract<HostMessage, { type: 'control_request' }>): Promise<void> {
    try {
      if (request.subtype !== 'initialize') this.#begin(noSetup);
      const answer = await handleRequest(request, this.#requests);
      if (request.subtype === 'initialize') this.#refusedInitialize = undefined;
      await this.#channel.respond(requestId, answer);
      if (request.subtype === 'initialize') await this.#channel.redeliver();
    } catch (error) {
      // Every error is answered: without a response the host would wait forever.
      const reason = messageOf(error);
      if (/^initiali[sz]e$/i.test(request.subtype)) this.#refusedInitialize = reason;
      await this.#channel.refuse(requestId, reason);
    }
  }

  readonly #ownRequests: Readonly<Record<string, RequestHandler>> = {
    initialize: async (request) => {
      const { hooks, ...others } = request;
      const { setup, notices } = readSetup(request);
      const unsupported = this.#hooks.register(hooks);
      this.#acceptSetup(setup, JSON.stringify(others));
      this.#lines.hidesChildText = setup.hidesChildText;
      for (const text of [...unsupported.map(neverFired), ...notices]) this.#noticeOnce(text);
      const { agent } = await this.#attached.promise;
      return {
        ...(await begunWith(agent)),
        models: this.#options.models(),
        output_style: this.#options.outputStyle(),
        available_output_styles: [...new Set(['default', this.#options.outputStyle()])],
        account: { apiKeySource: this.#options.apiKeySource() },
        capabilities: Object.keys(this.#requests),
        unsupported_hook_events: unsupported,
      };
    },
    interrupt: ({ cancel_queued }) => {
      const waiting = this.#queue.interrupt({ dropWaiting: cancel_queued === true });
      return { still_queued: waiting.map(({ uuid }) => uuid ?? null) };
    },
    mcp_message: ({ server_name, message }) => {
      this.#links.receive(String(server_name), message);
      return {};
    },
    cancel_async_message: ({ message_uuid }) => ({ cancelled: this.#queue.drop(String(message_uuid)) }),
  };

  /** What the requests of a host need. */
  get #port(): HostPort {
    return {
      options: this.#options,
      parts: this.#attached.promise,
      links: this.#links,
      hooks: this.#hooks,
      changes: this.#changes,
      idle: this.#idle,
      totals: this.#totals,
      setMode: (mode) => this.#setMode(mode),
      notice: (text) => this.#notice(text),
      system: (subtype, facts) => this.#tell(this.#lines.system(subtype, facts)),
    };
  }

  /** The conversation is set up once: the same fields may come again, and no others. */
  #acceptSetup(setup: HostSetup, text: string): void {
    if (this.#setup === undefined) this.#setupText = text;
    else if (text !== this.#setupText && JSON.stringify(setup) !== JSON.stringify(noSetup)) {
      throw new RequestRefused(
        'The conversation has already begun, so its system prompt, agents, tools and servers can no longer be set. Send initialize before everything else, in a new process.',
      );
    }
    this.#begin(setup);
  }

  readonly #write: WriteOut = async (line) => {
    await this.#slowReaders.wait(this.#options.write(line));
  };

  #notice(text: string): void {
    this.#tell(this.#lines.system('notice', { text }));
  }

  #noticeOnce(text: string): void {
    if (this.#told.has(text)) return;
    this.#told.add(text);
    this.#notice(text);
  }

  #tell(line: Line): void {
    void this.#write(line);
  }

  async #state(state: 'idle' | 'running' | 'requires_action'): Promise<void> {
    if (this.#options.tellsState) await this.#write(this.#lines.system('session_state_changed', { state }));
  }

  /** Says that the session waits for the host while a question is open. */
  #waiting<Args extends unknown[], Answer>(ask: (...args: Args) => Promise<Answer>) {
    return async (...args: Args): Promise<Answer> => {
      await this.#state('requires_action');
      try {
        return await ask(...args);
      } finally {
        await this.#state('running');
      }
    };
  }

  #setMode(mode: PermissionMode): string | undefined {
    const refused = this.#options.refuseMode(mode);
    if (refused !== undefined || !this.#agent) return refused;
    this.#agent.session.mode = mode;
    void this.#write(this.#lines.system('status', { status: null, permissionMode: mode }));
    return undefined;
  }
}
