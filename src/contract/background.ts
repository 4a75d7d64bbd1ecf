/** A command of the background that an earlier process of the session had left, and what became of it. */
export interface EndedCommand {
  command: LeftCommand;
  /** A process of it runs that this session can't end. */
  isRunning: boolean;
  /** What became of it, in words for the model. */
  why: string;
}

/** A command that was running in the background when the session was last written. */
export interface LeftCommand {
  id: string;
  command: string;
  outputFile: string;
  /** Its process: the number, and what tells it from a later process with the same number. */
  process?: { pid: number; started: number; boot: string; space: string; host: string };
}
