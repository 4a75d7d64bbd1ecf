import { completedCommands, findCommand, remember, runCommand, terminalCommands } from '../commands/index.js';
import type { CommandAnswer, TerminalCommand } from '../contract.js';
import { type CompletionSources, PromptCompletion } from '../input/completion.js';
import { type CommandSessionParts, commandSession } from './command-session.js';
import { ToolConsole, type ToolConsoleOptions } from './tool-console.js';

/** Shows a command's answer and asks its questions. */
export interface AnswerFollower {
  follow(answer: CommandAnswer, signal: AbortSignal, beforeShown?: () => void): Promise<boolean>;
}

export interface LoadedCommandsOptions {
  session: Omit<CommandSessionParts, 'builtIn'>;
  answers: AnswerFollower;
  console: ToolConsoleOptions;
  completion: Pick<CompletionSources, 'files' | 'cwd' | 'home' | 'mentions'>;
  /** Whether a line that is not a command is a tool call. */
  isConsole(): boolean;
}

/** The terminal's commands, the tool console, and completion for both: loaded after the first frame. */
export class LoadedCommands {
  readonly console: ToolConsole;
  readonly completion: PromptCompletion;
  readonly all: readonly TerminalCommand[] = terminalCommands;
  readonly #session: ReturnType<typeof commandSession>;
  readonly #answers: AnswerFollower;

  constructor({ session, answers, console, completion, isConsole }: LoadedCommandsOptions) {
    this.#session = commandSession({ ...session, builtIn: terminalCommands });
    this.#answers = answers;
    this.console = new ToolConsole(console);
    this.completion = new PromptCompletion({
      ...completion,
      commands: async () => await completedCommands(this.#session),
      line: (text) => (isConsole() && !/^\s*[/!#]/.test(text) ? this.console.complete(text) : undefined),
    });
  }

  /** A built-in command; undefined for those of the user, the project and servers. */
  find(name: string): TerminalCommand | undefined {
    return findCommand(name);
  }

  /**
   * `beforeShown` is called once, before anything of the answer is shown. Resolves to true if the answer is a prompt, which
   * is shown as one.
   */
  async run(command: { name: string; args: string }, signal: AbortSignal, beforeShown?: () => void): Promise<boolean> {
    return await this.#answers.follow(await runCommand(command, this.#session), signal, beforeShown);
  }

  async remember(note: string, signal: AbortSignal): Promise<void> {
    await this.follow(remember(note, this.#session), signal);
  }

  async follow(answer: CommandAnswer, signal: AbortSignal): Promise<void> {
    await this.#answers.follow(answer, signal);
  }
}
