/**
 * The port to the sandboxes of operating systems, for commands that were approved. What confines commands that were
 * not approved is in confiner.ts.
 */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'seatbelt' | 'none';
  /** One sentence: what holds commands, or why nothing does and what to install. */
  readonly why: string;
  /** Turns a command into another one that runs it walled in. Nothing is started yet. */
  wrap(command: PlainCommand, policy: SandboxPolicy): Promise<WrappedCommand>;
  /**
   * The same in two steps: a program that can be started at once, and waits to be told what it is to enclose. Absent
   * where a sandbox has to know that at its start.
   */
  prepare?(command: PlainCommand, circumstances: Pick<SandboxPolicy, 'network' | 'temp'>): PreparedCommand;
}

type Environment = Readonly<Record<string, string | undefined>>;

export interface PlainCommand {
  program: string;
  args: readonly string[];
  cwd: string;
  env: Environment;
  /** The first descriptor that the command does not use itself: 3 when it has nothing but the standard three. */
  freeDescriptor: number;
}

/**
 * Where two entries speak of one path, the deeper one wins. At the very same path `writable` wins, since a person has
 * approved just that; then `hidden`, then `readOnly`. All paths are absolute.
 */
export interface SandboxPolicy {
  /** Folders that the command works in and may change. */
  workspace: readonly string[];
  /** What was approved to be written beyond them. For one that does not exist yet the folder that it would lie in is opened. */
  writable: readonly string[];
  /** What can not even be read. */
  hidden: readonly string[];
  /** What can neither be read nor written, whatever else the policy says about it or about what is below it. */
  unreadable?: readonly string[];
  /** What can be read and not be changed, wherever it lies; what does not exist yet can not be made either. */
  readOnly: readonly string[];
  network: 'off' | 'on' | ProxyDoor;
  /** A private folder that stands for /tmp and TMPDIR. What runs outside must not trust names in it. */
  temp: string;
  /** Nothing missing directly in it is ever opened as a whole. */
  home: string;
}

/** The one way to the network, where some hosts can be reached: a proxy that runs outside. */
export interface ProxyDoor {
  /** The socket file that it listens at, alone in its folder; or on macOS its port. */
  place: string | number;
  /** Which hosts programs are not to use it for: those that mean the sandbox itself. */
  direct: readonly string[];
}

export interface WrappedCommand extends StartedCommand {
  /** Our descriptors that the child needs, to be given in this order from `freeDescriptor` on. */
  descriptors: readonly number[];
  /** What the policy asks for and could not be given, in sentences. */
  notes: readonly string[];
}

export interface PreparedCommand extends StartedCommand {
  /** As above; `pipe` stands for one whose other end is to be `tell` of `enclose`. */
  descriptors: ReadonlyArray<number | 'pipe'>;
  /**
   * Builds the walls as the disk is now and lets the command begin. `tell` writes the text to the pipe and closes it.
   * Returns what the policy asks for and could not be given. The circumstances must be those of the preparation.
   */
  enclose(policy: SandboxPolicy, tell: (text: string) => void): readonly string[];
}

interface StartedCommand {
  program: string;
  args: string[];
  /** Where to start `program`; the command itself starts in its own directory. */
  cwd: string;
  env: Record<string, string | undefined>;
  /** Closes our copies of the descriptors. To be called once the child has been started, or could not be. */
  started(): void;
  /**
   * The process group of the command itself, by the id of the child that was started. A polite signal has to go there:
   * sent to the child, it kills the sandbox and everything in it at once.
   */
  group(child: number): number | undefined;
  /** Takes away what was needed only while the command ran. To be called always, when it is over. Returns what a person should know. */
  ended(): Promise<string[]>;
}
