import type { AskUser } from '../contract/question.js';
import type { CommandBounds, FileRules, SandboxConfig } from '../contract/tool-context.js';

/**
 * What limits the calls of a session, and who answers their questions. Most of it is created after the session, since it
 * needs the session. The functions are called at each use, since settings may change.
 */
export interface SessionConnections {
  /** Default: no question is answered. */
  askUser?: AskUser;
  /** The project and the folders that were added to it, by all their names. Default: the root. */
  workspace?(): readonly string[];
  sandbox?(): SandboxConfig | undefined;
  /** What all commands together may take. Default: as in the parent. */
  commandBounds?(): CommandBounds;
  /** Called with each call that is judged while the sandbox of the settings does not work. */
  onSandboxMissing?(why: string): void;
  /** Default: those of the parent. */
  fileRules?(): FileRules;
}

/** How a session begins. */
export interface SessionBeginning {
  source: 'startup' | 'resume' | 'fork';
  /** What the person asked to be prepared, by `--init` or `--maintenance`. */
  setup?: 'init' | 'maintenance' | undefined;
}
