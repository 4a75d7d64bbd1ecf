/**
 * The port to the sandboxes of operating systems, for approved commands. Unapproved commands are confined by
 * confiner.ts.
 */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'seatbelt' | 'none';
  /** One sentence: what confines commands, or why nothing does and what to install. */
  readonly why: string;
  /** Wraps a command so that it runs in the sandbox. Starts nothing yet. */
  wrap(command: PlainCommand, policy: SandboxPolicy): Promise<WrappedCommand>;
  /**
   * The same in two steps: a program that can be started in advance and then waits for its arguments. Absent if the
   * sandbox needs them at start-up.
   */
  prepare?(command: PlainCommand, circumstances: Pick<SandboxPolicy, 'network' | 'temp'>): PreparedCommand;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface PlainCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  /** The first file descriptor that the command does not use itself: 3 if it has only the standard three. */
  freeDescriptor: number;
}

/**
 * For overlapping entries, the deeper one wins. For the same path, `writable` wins, because a person has approved
 * exactly that; then `hidden`, then `readOnly`. All paths are absolute.
 */
export interface SandboxPolicy {
  /** Folders that the command works in and may change. */
  workspace: readonly string[];
  /** Other paths that are approved for writing. For a missing one, its parent folder is opened. */
  writable: readonly string[];
  /** Unreadable paths. */
  hidden: readonly string[];
  /** Neither readable nor writable, regardless of what the policy says about them or about paths below them. */
  unreadable?: readonly string[];
  /** Readable but not writable, wherever they lie; missing ones can't be created either. */
  readOnly: readonly string[];
  network: 'off' | 'on' | ProxyEndpoint;
  /** A private folder that replaces /tmp and TMPDIR. Code outside the sandbox must not trust the names in it. */
  temp: string;
  /** A folder that is never opened as a whole in order to create a missing entry directly in it. */
  home: string;
}

/** The only route to the network if some hosts are allowed: a proxy that runs outside. */
export interface ProxyEndpoint {
  /** The socket file that it listens on, alone in its folder; or on macOS its port. */
  address: string | number;
  /** Hosts for which programs must bypass the proxy: those that mean the sandbox itself. */
  direct: readonly string[];
}

export interface WrappedCommand extends StartedCommand {
  /** Descriptors of ours that the child inherits, in this order from `freeDescriptor` on. */
  descriptors: readonly number[];
  /** Parts of the policy that could not be applied, as sentences. */
  notes: readonly string[];
}

export interface PreparedCommand extends StartedCommand {
  /** As above; `pipe` marks a descriptor whose other end is passed as `tell` to `applyPolicy`. */
  descriptors: ReadonlyArray<number | 'pipe'>;
  /**
   * Builds the sandbox from the current state of the disk and lets the command start. `tell` writes the text to the
   * pipe and closes it. Returns the parts of the policy that could not be applied. The circumstances must equal those
   * of the preparation.
   */
  applyPolicy(policy: SandboxPolicy, tell: (text: string) => void): readonly string[];
}

export interface StartedCommand {
  program: string;
  args: readonly string[];
  /** The working directory for `program`; the command itself starts in its own. */
  cwd: string;
  env: Environment;
  /** Closes our copies of the descriptors. Call it once the child has been started or has failed to start. */
  started(): void;
  /**
   * The process group of the command itself, by the PID of the started child. Send SIGTERM to this group: sent to the
   * child, it would kill the sandbox and everything in it at once.
   */
  group(child: number): number | undefined;
  /** Removes temporary resources. Always call it when the command is over. Returns messages for the person. */
  ended(): Promise<string[]>;
}
