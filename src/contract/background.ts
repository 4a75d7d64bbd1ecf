/** A background command that an earlier process of the session had left, and its outcome. */
export interface EndedCommand {
  command: LeftCommand;
  /** One of its processes is still running, and this session can't end it. */
  isRunning: boolean;
  /** Set if it exited before this session started. */
  exitCode?: number | null;
  /** Its outcome, in words for the model. */
  why: string;
}

/** A command that was running in the background when the session was last saved. */
export interface LeftCommand {
  id: string;
  command: string;
  /** What it does, in the model's words. */
  description?: string;
  outputFile: string;
  /** How long it had run as a part of its call before it moved to the background, in milliseconds. */
  ranBeforeMs?: number;
  /**
   * Its process: the PID, and data that distinguishes it from another process with the same PID. `boot` is the boot id,
   * `space` the PID namespace, since a container has its own.
   */
  process?: { pid: number; started: number; boot: string; space: string; host: string };
}
