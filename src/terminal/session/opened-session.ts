// The types by which the terminal is given a conversation; no code.

import type { OpenElsewhere } from '../../agent/store/open-elsewhere.js';
import type { RestoredSession } from '../../agent/store/restored-session.js';
import type { SessionTotals } from '../../agent/store/session-record.js';
import type { FullAgent } from '../../compose/create-agent.js';
import type { FullEngine } from '../../compose/create-engine.js';
import type { EditorBuffers } from '../../contract/editor-buffers.js';
import type { Message } from '../../contract/message.js';
import type { ModelFailure } from '../../contract/model.js';
import type { AskPermission, PermissionMode } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import type { WatchedSettings } from '../../settings/watch.js';
import type { Choice, EffortPort, SetupFinding } from '../contract.js';

/** Which conversation to open: a new one, unless one is to be resumed. */
export interface SessionRequest {
  /** An id, a prefix of one, or `last`. */
  resume?: string | undefined;
  /** Resume one, and ask the user which. Already resolved when a conversation is opened. */
  picks?: boolean | undefined;
  /** The session to resume is open in another process: the user chooses what to do instead. */
  openElsewhere?: OpenElsewhere | undefined;
  /** Continue in a copy. */
  fork?: boolean | undefined;
  /** With `fork`: leaves out everything from this prompt on (0-based). */
  beforePrompt?: number | undefined;
  /** Calls of the last answer that had not begun are kept to be run. */
  reopens?: boolean | undefined;
  /** The mode, if it was changed meanwhile. */
  mode?: PermissionMode | undefined;
  /** The model, if it was changed meanwhile. */
  model?: string | undefined;
  /** Folders that were added meanwhile. */
  folders?: readonly string[] | undefined;
}

/** Callbacks for questions and notices of the session. */
export interface TerminalPorts {
  askPermission: AskPermission;
  askUser: AskUser;
  /** Shows a message to the user. */
  tell(sentence: string): void;
  /** Whether the calls of a resumed conversation are drawn, with those that were interrupted. */
  drawsCalls?: true;
  /** Absent if no editor takes part. */
  buffers?: EditorBuffers;
}

export type PastFailures = RestoredSession['failures'];

export interface OpenedSession {
  readonly engine: FullEngine;
  /** Undefined if no model is set up: then only the tools can be used. */
  readonly agent: FullAgent | undefined;
  /** Why there is no model. */
  readonly withoutModel: string | undefined;
  /** The same, if the model was named by a flag, a setting, the environment or the resumed session. */
  readonly namedModelProblem?: Pick<ModelFailure, 'kind' | 'message'> | undefined;
  readonly settings: WatchedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The earlier messages, if the session was resumed. */
  readonly history: readonly Message[];
  /** The calls in it that failed, by id. */
  readonly failures?: PastFailures | undefined;
  /** What the person saw of the results in the history, by the id of the call. */
  readonly displays?: RestoredSession['displays'] | undefined;
  /** The calls that ran when the last process was ended, whose outcome is unknown. */
  readonly interrupted?: RestoredSession['interrupted'] | undefined;
  /** What it had cost before it was resumed. */
  readonly spent?: SessionTotals | undefined;
  /** "provider/name". */
  readonly model: string | undefined;
  readonly contextTokens: number | undefined;
  /** The name of the tool that runs `!` lines. */
  readonly commandTool: string;
  /** A run starts: applies the model that was chosen last. */
  begin(): void;
  readonly effort: EffortPort;
  models(): Promise<readonly Choice[]>;
  /** Returns "provider/name". Rejects with a message for the user. */
  chooseModel(name: string): Promise<string>;
  /** Why the mode is not available here; undefined if it is. */
  refuseMode(mode: PermissionMode): string | undefined;
  checkSetup(): Promise<readonly SetupFinding[]>;
  explain(tool: string, input: unknown): Promise<string>;
  close(): Promise<void>;
}
