// A conversation with a host program over stdin and stdout, one JSON object per line.
import type { Readable } from 'node:stream';
import type { FullAgent } from '../../compose/create-agent.js';
import type { FullEngineOptions } from '../../compose/options.js';
import type { AgentEvent, RunResult } from '../../contract/event.js';
import type { ModelEvent } from '../../contract/model.js';
import type { HookCallbacks } from '../../contract/options.js';
import { type PermissionMode, permissionModes } from '../../contract/permission.js';
import { messageOf } from '../../platform/message-of.js';
import { type FinishedRun, noResult, type RunEnd } from '../headless/finish-run.js';
import type { ModelWatch, WatchedModel } from '../watched-model.js';
import { ControlChannel, type Line, type WriteOut } from './control-channel.js';
import { EventLines } from './event-lines.js';
import { HostHooks } from './host-hooks.js';
import { handleRequest, type RequestHandler, RequestRefused } from './host-requests.js';
import { probeOnceOrphaned } from './orphan-probe.js';
import { Pace } from './pace.js';
import { type HostMessage, parseInput } from './parse-input.js';
import { PartialMessages } from './partial-messages.js';
import { PermissionBridge, type PermissionBridgeOptions } from './permission-bridge.js';
import { PromptQueue, type QueuedPrompt } from './prompt-queue.js';
import { readInputLines } from './read-input-lines.js';
import { SlowReaderGuard } from './slow-reader-guard.js';

const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface HostOptions {
  sessionId: string;
  version: string;
  write: WriteOut;
  apiKeySource(): string;
  /** Whether the host is asked for permission. */
  asksHost: boolean;
  partialMessages: boolean;
  replayPrompts: boolean;
  saveRule: PermissionBridgeOptions['saveRule'];
  /** Why a mode is not available; undefined if it is. */
  refuseMode(mode: PermissionMode): string | undefined;
  /** Selects a model by its name; rejects with `RequestRefused`. */
  chooseModel(name: string | undefined): ReturnType<RequestHandler>;
  /** The models to choose from, for `initialize`. */
  models(): readonly unknown[];
  end: RunEnd;
  /** Hooks in addition to the host's. */
  hooks?: HookCallbacks | undefined;
}

export class Host {
  readonly #options: HostOptions;
  readonly #pace = new Pace();
  readonly #queue = new PromptQueue();
  readonly #channel: ControlChannel;
  readonly #lines: EventLines;
  readonly #hooks: HostHooks;
  #agent: FullAgent | undefined;
  #partial = new PartialMessages();
  readonly #slowReaders = new SlowReaderGuard();
  /** Why the last `initialize` was refused: no prompt may run without the hooks that it would have registered. */
  #refusedInitialize: string | undefined;
  /** Unsupported events that a notice has already named. */
  readonly #toldUnsupported = new Set<string>();

  constructor(options: HostOptions) {
    this.#options = options;
    this.#channel = new ControlChannel(this.#write);
    this.#lines = new EventLines(options);
    this.#hooks = new HostHooks(this.#channel);
    this.#hooks.add(options.hooks ?? {});
  }

  /** The host stopped reading, and some output is left. */
  get hasGivenUp(): boolean {
    return this.#slowReaders.hasGivenUp;
  }

  /** The agent options that the host provides. */
  get agentOptions(): Pick<FullEngineOptions, 'askPermission' | 'askUser' | 'saveRule' | 'hooks'> {
    const hooks = this.#hooks.callbacks;
    if (!this.#options.asksHost) return { hooks };
    const { askPermission, askUser, saveRule } = new PermissionBridge({
      channel: this.#channel,
      caughtUp: () => this.#pace.caughtUp(),
      interrupt: () => void this.#queue.interrupt(),
      setMode: (mode) => this.#setMode(mode),
      notice: (text) => this.#notice(text),
      saveRule: this.#options.saveRule,
    });
    return { askPermission, askUser, saveRule, hooks };
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
  async converse(
    agent: FullAgent,
    { model, input, signal }: { model: WatchedModel; input: Readable | undefined; signal: AbortSignal },
  ): Promise<FinishedRun | undefined> {
    this.#agent = agent;
    let endLimit = (): void => {};
    const stop = (): void => {
      this.#channel.close('the session is ending');
      this.#queue.stop();
      endLimit = this.#slowReaders.limit();
    };
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    const reading = input && this.#read(input, signal);
    reading?.catch(() => this.#queue.stop()); // thrown below, after the current run
    const endProbe = probeOnceOrphaned(this.#write);
    let last: FinishedRun | undefined;
    try {
      for (let prompt = await this.#queue.next(); prompt; prompt = await this.#queue.next()) {
        if (this.#refusedInitialize !== undefined) {
          last = await this.#refusePrompt(this.#refusedInitialize);
          continue;
        }
        model.begin();
        last = await this.#run(agent, prompt, signal);
      }
      if (!signal.aborted) await reading;
    } finally {
      endProbe();
      endLimit();
      signal.removeEventListener('abort', stop);
    }
    return last;
  }

  async #run(agent: FullAgent, prompt: QueuedPrompt, signal: AbortSignal): Promise<FinishedRun> {
    const { end, replayPrompts } = this.#options;
    const ended = AbortSignal.any([signal, prompt.controller.signal]);
    let result: RunResult | undefined;
    end.begin();
    this.#hooks.begin();
    try {
      for await (const event of this.#pace.follow(agent.run(prompt.content, { signal: ended }))) {
        end.see(event, () => prompt.controller.abort(new Error('Given up.')));
        if (event.type === 'result') result = event;
        else await this.#writeEvent(event);
        if (event.type === 'session_start' && replayPrompts) {
          await this.#write(this.#lines.replay(prompt.content, prompt.uuid));
        }
      }
    } catch (error) {
      // Any error ends only this run: it is reported to the host, which may continue.
      result = noResult(error, { interrupted: ended.aborted });
    }
    const run = end.finish(result ?? noResult(new Error('The run ended without a result.'), { interrupted: false }));
    await this.#write(this.#lines.result(run));
    return run;
  }

  async #refusePrompt(reason: string): Promise<FinishedRun> {
    const sentence = `The prompt was not run, because initialize was refused, so hooks of the host may be missing: ${reason} Send an initialize that is accepted, then the prompt again.`;
    const run = this.#options.end.finish(noResult(new Error(sentence), { interrupted: false }));
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
        return this.#queue.add(message);
      case 'control_request':
        await this.#serve(message);
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
      const answer = await handleRequest(request, this.#handlers);
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

  readonly #handlers: Readonly<Record<string, RequestHandler>> = {
    initialize: async ({ subtype: _, hooks, ...others }) => {
      const unsupported = this.#hooks.register(hooks);
      if (unsupported.length > 0 && !this.#toldUnsupported.has(unsupported.join())) {
        this.#toldUnsupported.add(unsupported.join());
        this.#notice(
          `Helve has no hook events of these names, so their hooks are never called: ${unsupported.join(', ')}.`,
        );
      }
      const unused = Object.keys(others).filter((name) => !isBlank(others[name]));
      if (unused.length > 0) this.#notice(`These fields of initialize have no effect: ${unused.join(', ')}.`);
      return {
        commands: ((await this.#agent?.commands()) ?? []).map(({ kind: _, ...command }) => command),
        agents: ((await this.#agent?.agentTypes()) ?? []).map(({ name, description }) => ({ name, description })),
        models: this.#options.models(),
        output_style: 'default',
        available_output_styles: ['default'],
        account: {},
        capabilities: Object.keys(this.#handlers),
        pid: process.pid,
        unsupported_hook_events: unsupported,
      };
    },
    interrupt: ({ cancel_queued }) => {
      const waiting = this.#queue.interrupt({ dropWaiting: cancel_queued === true });
      return { still_queued: waiting.map(({ uuid }) => uuid ?? null) };
    },
    set_permission_mode: async ({ mode }) => {
      const wanted = permissionModes.find((known) => known === mode);
      if (!wanted) {
        throw new RequestRefused(
          `"mode" must be one of ${permissionModes.join(', ')}, but was ${JSON.stringify(mode)}.`,
        );
      }
      const refused = this.#setMode(wanted);
      if (refused !== undefined) throw new RequestRefused(refused);
      return { mode: wanted };
    },
    set_model: async ({ model }) => {
      if (model !== undefined && model !== null && typeof model !== 'string') {
        throw new RequestRefused(`"model" must be the name of a model, but was ${JSON.stringify(model)}.`);
      }
      return await this.#options.chooseModel(model === 'default' ? undefined : (model ?? undefined));
    },
    get_context_usage: () => this.#agent && contextUsage(this.#agent.contextUsage()),
  };

  readonly #write: WriteOut = async (line) => {
    await this.#slowReaders.wait(this.#options.write(line));
  };

  #notice(text: string): void {
    void this.#write(this.#lines.system('notice', { text }));
  }

  #setMode(mode: PermissionMode): string | undefined {
    const refused = this.#options.refuseMode(mode);
    if (refused !== undefined || !this.#agent) return refused;
    this.#agent.session.mode = mode;
    void this.#write(this.#lines.system('status', { status: null, permissionMode: mode }));
    return undefined;
  }
}

function contextUsage({ total, window, free, ...parts }: ReturnType<FullAgent['contextUsage']>): Line {
  const categories = Object.entries(parts).map(([name, tokens]) => ({ name, tokens }));
  const percentage = window > 0 ? Math.round((100 * total) / window) : 0;
  return { categories, totalTokens: total, maxTokens: window, freeTokens: free, percentage };
}

/** Hosts send many empty fields. */
const isBlank = (value: unknown): boolean => /^(?:null|false|""|\[\]|\{\})$/.test(JSON.stringify(value) ?? 'null');

const tooLong = (bytes: number): string =>
  `it has ${bytes} bytes, and a line may have ${MAX_LINE_BYTES} at most. Send large files as files, and name them in the prompt`;

/** Whether an unparsable line may have been an `initialize`, with the guards of a host. */
const mayInitialize = (text: string): boolean => /"subtype"\s*:\s*"initiali[sz]e"/i.test(text);
