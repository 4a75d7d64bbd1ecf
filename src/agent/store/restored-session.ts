// What is read from the file of a session to continue or to show it.
import type { LeftCommand } from '../../contract/background.js';
import type { FailureKind } from '../../contract/failure.js';
import type { Message, ToolResultBlock, ToolUseBlock } from '../../contract/message.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { LeftTask } from '../../contract/server-tasks.js';
import type { ToolDisplay } from '../../contract/tool.js';
import type { SeenFile } from '../../contract/tool-context.js';
import type { StoredGoal } from '../goals/goal-state.js';
import type { SessionHeader, SessionTotals } from './session-record.js';

export interface RestoredSession {
  /** Absent if the first line is damaged. */
  header: SessionHeader | undefined;
  title: string;
  /** Valid for any provider. */
  messages: readonly Message[];
  /** The calls that failed, by id, as the person was told about them. */
  failures: ReadonlyMap<string, { kind: FailureKind; problem: string | undefined }>;
  /** What the person saw of results, by the id of the call; absent for results of version 0.1.0. */
  displays: ReadonlyMap<string, ToolDisplay>;
  /** Ids that new calls must not use. */
  callIds: readonly string[];
  /** With `reopen`: the calls of the last answer that had not begun, which is the last of the messages. */
  openCalls: OpenCalls | undefined;
  /** The ids that clients have given to their prompts, of those that have begun. */
  promptIds: readonly string[];
  /** Whether the last prompt has begun and not ended. */
  isUnfinished: boolean;
  /** Calls that started since the session was last resumed, and whose outcome is unknown. */
  interrupted: ReadonlyArray<{ id: string; tool: string; input: unknown }>;
  root: string | undefined;
  /** The last directory if it still exists, else the root. */
  cwd: string | undefined;
  /** Never a mode that allows more than `default`, unless it was chosen again. */
  mode: PermissionMode;
  todos: unknown;
  plan: string | undefined;
  goal: StoredGoal | null | undefined;
  /** Commands that ran in the background when the last process ended. */
  background: readonly LeftCommand[];
  /** Tasks of MCP servers whose outcome the model does not have. */
  tasks: readonly LeftTask[];
  /** Whether the model was informed of the outcome of those commands. */
  isBackgroundTold: boolean;
  ledger: ReadonlyMap<string, SeenFile>;
  totals: SessionTotals;
  /** When the last record was written, in milliseconds since the epoch. */
  at: number | undefined;
  /** The size of its list of file changes at the last prompt, in bytes; undefined for sessions of an earlier version. */
  changes: number | undefined;
  /** The numbers of all unreadable lines. */
  damaged: readonly number[];
  /** Sentences for the person about state that could not be restored; `interruptionNotes` has those about interrupted calls. */
  notes: readonly string[];
}

/** The calls of an answer, some of which have not begun. */
export interface OpenCalls {
  calls: readonly ToolUseBlock[];
  /** Of those that had ended, or had begun and were interrupted. */
  results: ReadonlyMap<string, ToolResultBlock>;
}
