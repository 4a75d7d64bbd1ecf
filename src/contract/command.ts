import type { ContentBlock } from './message.js';

/** Commands and skills: texts in files that people have written for the model, called by name. */
export interface CommandPort {
  /** The text of the command, with its arguments filled in. Throws `ToolFailure`. */
  use(wanted: WantedCommand, signal: AbortSignal): Promise<UsedCommand>;
}

/** A call of a command. */
export interface WantedCommand {
  kind: CommandKind;
  /** Without a slash. */
  name: string;
  /** As they were typed. */
  args: string;
}

/** A command that people can call by name, as it is listed. */
export interface ListedCommand {
  /** Without a slash. */
  name: string;
  kind: CommandKind | 'prompt';
  description: string;
  argumentHint: string;
  /** The file that it comes from, for people; left out for a prompt of a server. */
  file?: string;
}

/** The kind of file that a command comes from. */
export type CommandKind = 'skill' | 'command';

/** The text of a command. */
export interface UsedCommand {
  name: string;
  content: ContentBlock[];
  /** The folder of a skill. */
  folder?: string;
}
