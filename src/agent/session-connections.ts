import type { AskUser } from '../contract/question.js';
import type { CommandBounds, FileRules, SandboxConfig } from '../contract/tool-context.js';

/**
 * The limits of the calls of a session, and the functions that answer their questions. Most of them need the session, so
 * they are connected after it was created. They are called at each use, since settings may change.
 */
export interface SessionConnections {
  /** Default: no question is answered. */
  askUser?: AskUser;
  /** The project and the folders that were added to it, with symlinks resolved and not resolved. Default: the root. */
  workspace?(): readonly string[];
  sandbox?(): SandboxConfig | undefined;
  /** The limits for all commands together. Default: those of the parent. */
  commandBounds?(): CommandBounds;
  /** Called for each decision while the sandbox of the settings does not work. */
  onSandboxMissing?(why: string): void;
  /** Default: those of the parent. */
  fileRules?(): FileRules;
}

/** How a session begins. */
export interface SessionBeginning {
  source: 'startup' | 'resume' | 'fork';
  /** The preparation that the person requested with `--init` or `--maintenance`. */
  setup?: 'init' | 'maintenance' | undefined;
}
