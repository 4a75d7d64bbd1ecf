import { setImmediate as nextRound } from 'node:timers/promises';
import type { AgentEvent, AgentHappening } from '../../contract/event.js';
import type { ImageBlock, UserBlock } from '../../contract/message.js';
import type { OpenedSession } from './opened-session.js';

const BREATH_MS = 8; // events may come faster than they are drawn: keys are looked at in between

/** Something that the person wants said. */
export interface WantedPrompt {
  text: string;
  /** What stands for it on the screen. Default: the text. */
  shown?: string | undefined;
  /** What goes along with it. */
  images?: readonly ImageBlock[];
}

export interface ConversationOptions {
  /** The conversation may become another one. */
  session(): OpenedSession;
  onEvent(event: AgentHappening): void;
  /** A prompt goes to the model now, as one of its own or with what it reads next. */
  onSaid(prompt: WantedPrompt): void;
  /** What is waiting, or whether something runs, has changed. */
  onChange(): void;
  /** What should not have happened, in a sentence. */
  onProblem(sentence: string): void;
  /** Something runs, where nothing did. */
  onBegin(): void;
  /** Nothing runs any more and nothing waits. */
  onRest(): void;
}

/** Runs prompts one after the other. What is said while the model works goes to it with the next step. */
export class Conversation {
  readonly #options: ConversationOptions;
  #waiting: WantedPrompt[] = [];
  #running: AbortController | undefined;
  #rest: Promise<void> = Promise.resolve();
  /** What the model is to read with the next prompt: what the person has run themselves. */
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
    this.#options.onChange();
  }

  /** Nothing of what waits will be said. Gives it back. */
  takeBack(): WantedPrompt[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#options.onChange();
    return waiting;
  }

  /** Stops what the model does. False where nothing runs. */
  interrupt(): boolean {
    if (!this.#running) return false;
    this.#running.abort(new Error('Interrupted.'));
    return true;
  }

  /** Settles when nothing runs and nothing waits. */
  async atRest(): Promise<void> {
    await this.#rest;
  }

  /** A command of the person's own, down the path of every call. The model is told of it with the next prompt. */
  async runCommand(command: string, { callId, signal }: { callId: string; signal: AbortSignal }): Promise<void> {
    const { engine, commandTool } = this.#options.session();
    const input = { command };
    const onEvent = (event: AgentHappening): void => this.#options.onEvent(event);
    onEvent({ type: 'tool_call', callId, tool: commandTool, input, display: { title: command } });
    const [result] = await engine.runCalls([{ id: callId, name: commandTool, input }], { signal, onEvent });
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
        await this.#run(prompt, this.#running.signal);
      }
    } finally {
      this.#running = undefined;
      this.#options.onChange();
      this.#options.onRest();
    }
  }

  async #run(prompt: WantedPrompt, signal: AbortSignal): Promise<void> {
    const { agent, begin, withoutModel } = this.#options.session();
    if (!agent) return this.#options.onProblem(withoutModel ?? 'No model is set up.');
    begin();
    const content: UserBlock[] = [...this.#told, ...blocksOf(prompt)];
    this.#told = [];
    let breath = performance.now();
    try {
      for await (const event of agent.run(content, { signal, steering: () => this.#steering() })) {
        this.#take(event);
        if (performance.now() - breath < BREATH_MS) continue;
        await nextRound();
        breath = performance.now();
      }
    } catch (error) {
      this.#options.onProblem(error instanceof Error ? error.message : String(error));
    }
  }

  #take(event: AgentEvent): void {
    this.#options.onEvent(event);
  }

  /** Commands of the person's own are made into prompts when a run begins, so they and what follows wait for that. */
  #steering(): UserBlock[] {
    const end = this.#waiting.findIndex(({ text }) => text.startsWith('/'));
    const said = this.#waiting.splice(0, end < 0 ? this.#waiting.length : end);
    for (const prompt of said) this.#options.onSaid(prompt);
    if (said.length > 0) this.#options.onChange();
    return said.flatMap(blocksOf);
  }
}

const blocksOf = ({ text, images = [] }: WantedPrompt): UserBlock[] => [...images, { type: 'text', text }];
