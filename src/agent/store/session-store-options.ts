import type { LeftCommand } from '../../contract/background.js';
import type { ModelFacts } from '../../contract/model.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { LeftTask } from '../../contract/server-tasks.js';
import type { StoredGoal } from '../goals/goal-state.js';
import type { ReportProblem } from './append-log.js';
import type { SessionFolder } from './session-folder.js';
import type { SessionLock } from './session-lock.js';
import type { SessionHeader, SessionTotals } from './session-record.js';

export interface SessionStoreOptions {
  dataFolder: string;
  id: string;
  root: string;
  model: string;
  provider?: string | undefined;
  /** The prices of the model; without them the cost of a run is known only at its end, if at all. */
  prices?: ModelFacts['prices'] | undefined;
  /** For a child agent: its folder, and its facts in the first line. */
  agent?: { folder: SessionFolder; facts: NonNullable<SessionHeader['agent']> } | undefined;
  /** Called with one sentence for the person if the session can't be saved. The conversation continues. */
  onProblem?: ReportProblem | undefined;
}

/** State of a session that calls may change, checked when a turn ends. A `Session` implements it. */
export interface WatchedState {
  readonly cwd: string;
  readonly mode: PermissionMode;
  readonly todos?: unknown;
  readonly plan?: string | undefined;
  readonly goal?: StoredGoal | null | undefined;
  /** Commands that run in the background. */
  readonly background?: readonly LeftCommand[] | undefined;
  /** Tasks of MCP servers. */
  readonly tasks?: readonly LeftTask[] | undefined;
  /** The id that the client has given to the prompt that runs. */
  readonly promptId?: string | undefined;
  /** Whether a tool only asks the person, so that a call of it may run again after a crash. */
  onlyAsks?(tool: string): boolean;
}

/** The state from which a store continues when a session is resumed. */
export interface StoreBeginning {
  lock: SessionLock;
  totals: SessionTotals;
  title: string | undefined;
  damaged: readonly number[];
  /** The calls of the last answer that had not begun run now. */
  reopens?: boolean;
}
