/** A background command that an earlier process of the session had left, and its outcome. */
export interface EndedCommand {
  command: LeftCommand;
  /** One of its processes is still running, and this session can't end it. */
  isRunning: boolean;
  /** If it had ended by itself before. */
  exitCode?: number | null;
  /** Its outcome, in words for the model. */
  why: string;
}

/** A command that was running in the background when the session was last saved. */
export interface LeftCommand {
  id: string;
  command: string;
  outputFile: string;
  /** Its process: the PID, and data that distinguishes it from a later process with the same PID. */
  process?: { pid: number; started: number; boot: string; space: string; host: string };
}
