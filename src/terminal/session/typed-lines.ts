import { randomId } from '../../platform/crypto.js';
import type { Attachments } from '../input/attachments.js';
import { readInput, type TypedInput } from '../input/read-input.js';
import { messageOf } from './command-answers.js';
import type { Conversation } from './conversation.js';
import type { CurrentSession } from './current-session.js';
import type { ForegroundTask } from './foreground-task.js';
import type { LoadedCommands } from './loaded-commands.js';

export interface TypedLinesOptions {
  session: CurrentSession;
  conversation: Conversation;
  work: ForegroundTask;
  /** There once a conversation is open. */
  commands: Promise<LoadedCommands>;
  /** Aborts when the terminal is left. */
  signal: AbortSignal;
  /** It is to be shown as what the person said. */
  onSaid(text: string): void;
  onProblem(sentence: string): void;
  /** A command has run, and may have changed the session. */
  onDone(): void;
  /** The person makes this call, so they need not be asked about it; gives the way to say that it is over. */
  ownCall(callId: string): () => void;
  /** What goes along with a prompt. */
  attachments: Pick<Attachments, 'of'>;
}

/** Brings what is typed to where it belongs: the model, a command, the shell, a note, a tool. */
export class TypedLines {
  readonly #options: TypedLinesOptions;

  constructor(options: TypedLinesOptions) {
    this.#options = options;
  }

  /** `shown` stands for the text on the screen. */
  async take(text: string, shown = text): Promise<void> {
    if (text.trim() === '') return;
    const whole = { text: text.trim(), shown: shown.trim() };
    await this.#try(async (commands) => await this.#follow(readInput(text), whole, commands));
  }

  /** As if it had been typed, but it is not shown. */
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
        if (commands.find(typed.name)) onSaid(text);
        return await this.#run(typed, commands);
      case 'note':
        return await commands.remember(typed.text, signal);
      case 'shell':
        onSaid(`! ${typed.command}`);
        return await this.#runShell(typed.command);
      default:
        if (session.opened.agent) return conversation.say({ text, shown, images: await attachments.of(text) });
        onSaid(text);
        await this.#call(text, commands);
    }
  }

  async #run(command: { name: string; args: string }, commands: LoadedCommands): Promise<void> {
    const { conversation, signal, onDone } = this.#options;
    if (commands.find(command.name)?.needsRest) await conversation.atRest();
    await commands.run(command, signal);
    onDone();
  }

  /** What is typed where there is no model: a call of a tool. */
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
