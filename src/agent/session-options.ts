import type { PermissionMode } from '../contract/permission.js';
import type { FileLedger } from '../contract/tool-context.js';
import type { SessionWorktree } from '../contract/worktree.js';
import type { Session } from './session.js';
import type { ToolPool } from './tool-pool.js';

export interface SessionOptions {
  /** The id of a resumed session. Default: a new id. */
  id?: string;
  root: string;
  /** Called with one sentence for the person if the data folder can't be written and the work continues without it. */
  onDataProblem?: ((sentence: string) => void) | undefined;
  /** Helve's data folder. The session's folder is created in it once there is something to store. */
  dataFolder: string;
  mode: PermissionMode;
  env: Readonly<Record<string, string | undefined>>;
  ledger: FileLedger;
  tools: ToolPool;
  /** Whether a person uses the session. */
  interactive?: boolean;
  home?: string | undefined;
  worktree?: SessionWorktree | undefined;
  /** The parent session, whose gate, journal, saved results and call ids this session uses. */
  parent?: Session;
  /** The prefix of call ids, so that they differ from those of an earlier process. */
  callPrefix?: string;
}
