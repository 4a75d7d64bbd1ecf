import type { ContentBlock } from './message.js';

/** Commands and skills: what people have written down, in files, for the model to do when it is called by its name. */
export interface CommandPort {
  /** What it says, with its arguments in place. Throws `ToolFailure`. */
  use(wanted: WantedCommand, signal: AbortSignal): Promise<UsedCommand>;
}

/** A command that is called. */
export interface WantedCommand {
  kind: CommandKind;
  /** Without a slash. */
  name: string;
  /** As they were typed. */
  args: string;
}

/** What a person can call by name, as it is shown to them. */
export interface ListedCommand {
  /** Without a slash. */
  name: string;
  kind: CommandKind | 'prompt';
  description: string;
  argumentHint: string;
}

/** What a command is written as. */
export type CommandKind = 'skill' | 'command';

/** What a command says. */
export interface UsedCommand {
  name: string;
  content: ContentBlock[];
  /** Where a skill keeps what belongs to it. */
  folder?: string;
}
