import { randomId } from '../../platform/crypto.js';
import { messageOf } from '../../platform/message-of.js';
import type { Attachments } from '../input/attachments.js';
import { readInput, type TypedInput } from '../input/read-input.js';
import type { Conversation } from './conversation.js';
import type { CurrentSession } from './current-session.js';
import type { ForegroundTask } from './foreground-task.js';
import type { LoadedCommands } from './loaded-commands.js';

export interface TypedLinesOptions {
  session: CurrentSession;
  conversation: Conversation;
  work: ForegroundTask;
  /** Resolved once a conversation is open. */
  commands: Promise<LoadedCommands>;
  /** Aborts when the terminal is closed. */
  signal: AbortSignal;
  /** Shows the text as the user's prompt. */
  onSaid(text: string): void;
  onProblem(sentence: string): void;
  /** A command has run, and may have changed the session. */
  onDone(): void;
  /** A command begins to wait, or no longer waits. */
  onWait?(): void;
  /** Marks a call as the user's own, which needs no permission question; the returned function ends that. */
  ownCall(callId: string): () => void;
  /** The prompt's attachments. */
  attachments: Pick<Attachments, 'of'>;
}

const ALONE_MS = 150; // that a typed line may be gone before the user wonders where it is

/** A command that runs when the model is done, or, without a model, a call behind another. */
export interface WaitingLine {
  line: string;
  waitsFor: 'model' | 'call';
}

/** Routes typed lines: to the model, a command, the shell, a note, or a tool. */
export class TypedLines {
  readonly #options: TypedLinesOptions;

  /** Lines that wait, each with what it waits for. */
  readonly #waiting: WaitingLine[] = [];
  /** Settles when the last typed call has ended; undefined if none runs or waits. */
  #lastCall: Promise<void> | undefined;

  constructor(options: TypedLinesOptions) {
    this.#options = options;
  }

  get waiting(): readonly WaitingLine[] {
    return this.#waiting;
  }

  /** `shown` is displayed instead of the text. */
  async take(text: string, shown = text): Promise<void> {
    if (text.trim() === '') return;
    const whole = { text: text.trim(), shown: shown.trim() };
    await this.#try(async (commands) => await this.#follow(readInput(text), whole, commands));
  }

  /** As if it had been typed, but not displayed. */
  async runCommand(name: string): Promise<void> {
    await this.#try(async (commands) => await this.#run({ name, args: '' }, commands));
  }

  async #try(what: (commands: LoadedCommands) => Promise<void>): Promise<void> {
    try {
      await what(await this.#options.commands);
    } catch (error) {
      if (!this.#options.signal.aborted) this.#options.onProblem(messageOf(error));
    }
  }

  async #follow(
    typed: TypedInput,
    { text, shown }: { text: string; shown: string },
    commands: LoadedCommands,
  ): Promise<void> {
    const { session, conversation, signal, onSaid, attachments } = this.#options;
    switch (typed.type) {
      case 'command':
        return await this.#run(typed, commands, () => onSaid(text));
      case 'note':
        return await commands.remember(typed.text, signal);
      case 'shell':
        onSaid(`! ${typed.command}`);
        return await this.#runShell(typed.command);
      default:
        if (session.opened.agent) return conversation.say({ text, shown, images: await attachments.of(text) });
        await this.#inTurn(text, async () => {
          onSaid(text);
          await this.#call(text, commands);
        });
    }
  }

  async #run(
    command: { name: string; args: string },
    commands: LoadedCommands,
    echo: () => void = () => {},
  ): Promise<void> {
    const { signal, onDone } = this.#options;
    const found = commands.find(command.name);
    if (found?.needsRest) await this.#untilRest(`/${command.name} ${command.args}`.trim());
    if (found?.echo === 'before') echo();
    if (found && found.echo === undefined) await withEcho(echo, (shown) => commands.run(command, signal, shown));
    else await commands.run(command, signal, found?.echo === 'answered' ? echo : undefined);
    onDone();
  }

  async #untilRest(line: string): Promise<void> {
    await this.#wait({ line, waitsFor: 'model' }, this.#options.conversation.atRest());
  }

  async #wait(waiting: WaitingLine, end: Promise<void>): Promise<void> {
    this.#waiting.push(waiting);
    this.#options.onWait?.();
    try {
      await end;
    } finally {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
      this.#options.onWait?.();
    }
  }

  /** Runs a call after those typed before it, so that what it shows stands below its line and not below a later one. */
  async #inTurn(line: string, call: () => Promise<void>): Promise<void> {
    const before = this.#lastCall;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#lastCall = promise;
    try {
      if (before) await this.#wait({ line, waitsFor: 'call' }, before);
      this.#options.signal.throwIfAborted();
      await call();
    } finally {
      if (this.#lastCall === promise) this.#lastCall = undefined;
      resolve();
    }
  }

  /** A typed line without a model: a tool call. */
  async #call(line: string, commands: LoadedCommands): Promise<void> {
    await this.#options.work.run(
      async (signal) => await commands.follow(await commands.console.run(line, signal), signal),
    );
  }

  async #runShell(command: string): Promise<void> {
    const { session, conversation, work, ownCall } = this.#options;
    const callId = session.opened.engine.session.claimCallId(randomId());
    const forget = ownCall(callId);
    try {
      await work.run(async (signal) => await conversation.runCommand(command, { callId, signal }));
    } finally {
      forget();
    }
  }
}

/**
 * Shows the line together with its answer, so that nothing comes between the two; a line whose answer takes longer is
 * shown before.
 */
async function withEcho(echo: () => void, run: (echo: () => void) => Promise<boolean>): Promise<void> {
  let isShown = false;
  const show = (): void => {
    if (!isShown) echo();
    isShown = true;
  };
  const timer = setTimeout(show, ALONE_MS);
  try {
    isShown = (await run(show)) || isShown;
  } finally {
    clearTimeout(timer);
    show();
  }
}
