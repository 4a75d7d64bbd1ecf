// How the start of a bash is wrapped in another program, such as a sandbox.
import type { PlainCommand, StartedCommand } from '../sandbox/sandbox.js';

export type ShellEnvironment = PlainCommand['env'];

/** The command line of bash without a wrapper. */
export interface ShellCommand extends PlainCommand {
  folder: string;
}

/**
 * Wraps the start of bash in another program, such as a sandbox. Inside, `folder` must be reachable by the same path
 * and writable, since bash creates its pipe there, and so must /dev/null. The environment and the descriptors below
 * `freeDescriptor` must reach bash unchanged.
 */
export interface WrapShell {
  /**
   * The sandbox is complete at the start, and equal for every wrapper of this name: a shell can be prestarted in it.
   * Its output pipe is passed to it, and it can write nothing in `folder`.
   */
  readonly completeAs?: string;
  /** A program that was prestarted by one wrapper fits every other one of the same name. Absent: it fits none. */
  readonly aheadAs?: string;
  start(command: ShellCommand): Promise<WrappedShell>;
  /** Sends a prestarted program the sandbox policy of this command. Absent if the policy is fixed at the start. */
  applyPolicy?(shell: WrappedShell, about: { folder: string; tell(text: string): void }): Promise<void>;
}

export interface WrappedShell extends Omit<StartedCommand, 'ended'> {
  /**
   * Descriptors of ours that the program inherits, from `freeDescriptor` on; `pipe` is the one that transmits its
   * policy.
   */
  descriptors: ReadonlyArray<number | 'pipe'>;
  /** Called when it is over. */
  ended(): Promise<unknown>;
  /** Whether its sandbox is still up to date, for a shell that was prestarted with a complete sandbox. */
  isCurrent?(): boolean;
}
