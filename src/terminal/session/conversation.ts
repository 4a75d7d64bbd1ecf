import { setImmediate as nextRound } from 'node:timers/promises';
import type { AgentHappening, RunResult } from '../../contract/event.js';
import type { ImageBlock, UserBlock } from '../../contract/message.js';
import { messageOf } from '../../platform/message-of.js';
import { reminder } from '../../platform/text/reminder.js';
import type { OpenedSession } from './opened-session.js';

const BREATH_MS = 8; // events may arrive faster than they are drawn; keys are handled in between

/** A prompt that the user wants to send. */
export interface WantedPrompt {
  text: string;
  /** Displayed instead of the text. Default: the text. */
  shown?: string | undefined;
  /** For the model alone, with the prompt. */
  instructions?: string | undefined;
  /** Its attachments. */
  images?: readonly ImageBlock[];
}

export interface ConversationOptions {
  /** The current conversation, which may change. */
  session(): OpenedSession;
  onEvent(event: AgentHappening): void;
  /** A prompt is sent to the model now, on its own or with the next step. */
  onSaid(prompt: WantedPrompt): void;
  /** Keeps the prompts that wait, so that a crash does not lose them. */
  queued?: { keep(waiting: readonly WantedPrompt[]): void };
  /** The queue has changed, or whether something runs. */
  onChange(): void;
  /** An internal error, as a message. */
  onProblem(sentence: string): void;
  /** Work has started. */
  onBegin(): void;
  /** A run has ended. Returns a prompt with which it goes on, if it does. */
  onResult(result: RunResult): Promise<string | undefined>;
  /** All work is done, and the queue is empty. */
  onRest(): void;
}

/** Runs prompts one after the other. Prompts sent while the model works are delivered with its next step. */
export class Conversation {
  readonly #options: ConversationOptions;
  #waiting: WantedPrompt[] = [];
  #running: AbortController | undefined;
  #rest: Promise<void> = Promise.resolve();
  /** Blocks for the next prompt: the output of commands that the user ran. */
  #told: UserBlock[] = [];

  constructor(options: ConversationOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get waiting(): readonly WantedPrompt[] {
    return this.#waiting;
  }

  say(prompt: WantedPrompt): void {
    this.#waiting.push(prompt);
    if (!this.#running) this.#rest = this.#work();
    this.#changed();
  }

  #changed(): void {
    this.#options.queued?.keep(this.#waiting);
    this.#options.onChange();
  }

  /** Empties the queue and returns its prompts. */
  takeBack(): WantedPrompt[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#changed();
    return waiting;
  }

  /** Stops the model. False if nothing runs. */
  interrupt(): boolean {
    if (!this.#running) return false;
    this.#running.abort(new Error('Interrupted.'));
    return true;
  }

  /** Resolves once nothing runs and the queue is empty. */
  async atRest(): Promise<void> {
    await this.#rest;
  }

  /** A shell command of the user's, on the normal call path. The next prompt reports it to the model. */
  async runCommand(command: string, { callId, signal }: { callId: string; signal: AbortSignal }): Promise<void> {
    const { engine, commandTool } = this.#options.session();
    const input = { command };
    const onEvent = (event: AgentHappening): void => this.#options.onEvent(event);
    onEvent({ type: 'tool_call', callId, tool: commandTool, input, display: { title: command } });
    const [result] = await engine.callTools([{ id: callId, name: commandTool, input }], { signal, onEvent });
    const output = typeof result?.content === 'string' ? result.content : JSON.stringify(result?.content);
    this.#told.push({
      type: 'text',
      text: `<user-command>\n${command}\n</user-command>\n<user-command-output>\n${output}\n</user-command-output>`,
    });
  }

  async #work(): Promise<void> {
    this.#running = new AbortController();
    this.#options.onBegin();
    try {
      for (let prompt = this.#waiting.shift(); prompt; prompt = this.#waiting.shift()) {
        if (this.#running.signal.aborted) this.#running = new AbortController();
        this.#options.onSaid(prompt);
        this.#changed();
        const result = await this.#run(prompt, this.#running.signal);
        const next = result && (await this.#options.onResult(result));
        if (next !== undefined) this.#waiting.unshift({ text: next });
      }
    } finally {
      this.#running = undefined;
      this.#options.onChange();
      this.#options.onRest();
    }
  }

  async #run(prompt: WantedPrompt, signal: AbortSignal): Promise<RunResult | undefined> {
    const { agent, begin, withoutModel } = this.#options.session();
    if (!agent) {
      this.#options.onProblem(withoutModel ?? 'No model is set up.');
      return undefined;
    }
    begin();
    const content: UserBlock[] = [...this.#told, ...blocksOf(prompt)];
    this.#told = [];
    let result: RunResult | undefined;
    let breath = performance.now();
    try {
      for await (const event of agent.run(content, { signal, steering: () => this.#steering() })) {
        this.#options.onEvent(event);
        if (event.type === 'result') result = event;
        if (performance.now() - breath < BREATH_MS) continue;
        await nextRound();
        breath = performance.now();
      }
    } catch (error) {
      this.#options.onProblem(messageOf(error));
    }
    return result;
  }

  /** Slash commands are expanded when a run starts, so they and what follows them wait for that. */
  #steering(): UserBlock[] {
    const end = this.#waiting.findIndex(({ text }) => text.startsWith('/'));
    const said = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
    for (const prompt of said) this.#options.onSaid(prompt);
    if (said.length > 0) this.#changed();
    return said.flatMap(blocksOf);
  }
}

const blocksOf = ({ text, images = [], instructions }: WantedPrompt): UserBlock[] => [
  ...(instructions === undefined ? [] : [{ type: 'text' as const, text: reminder(instructions) }]),
  ...images,
  { type: 'text', text },
];
