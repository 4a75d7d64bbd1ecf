// The types by which a surface gives the host a conversation; no code.

import type { RestoredSession } from '../agent/store/restored-session.js';
import type { FullAgent } from '../compose/create-agent.js';
import type { FullEngineOptions } from '../compose/options.js';
import type { EditorBuffers } from '../contract/editor-buffers.js';
import type { Effort } from '../contract/model.js';
import type { AskPermission, PermissionMode } from '../contract/permission.js';
import type { AskUser } from '../contract/question.js';
import { UserFacingError } from '../contract/user-facing-error.js';
import type { TrustRequest } from './open-questions.js';

/** The client for which a session is opened. Kept in memory only, and for that session only. */
export interface Caller {
  /** Its environment, with keys. */
  env: Readonly<Record<string, string>>;
  /** The options of the command line that hold for the session, with absolute paths. */
  argv: readonly string[];
  /** Where it was started, if that may be the folder of a project: new sessions are offered there. */
  folder?: string;
}

/** Where a session works, and with what. */
export interface SessionPlace {
  /** Default: the host's own environment and options. */
  caller?: Caller | undefined;
  /** The project, with links resolved. */
  root: string;
  additionalDirectories?: readonly string[];
  /** MCP servers that the client brings. */
  mcpServers?: FullEngineOptions['mcpServers'];
  /** A session to resume. */
  resume?: string | undefined;
  /** With `resume`: calls of its last answer that had not begun are run when it goes on. */
  reopens?: boolean;
  /** The question that was open when the last process was killed, as it is listed until it is asked again. */
  waitsFor?: string | undefined;
  /** The id of the session, resumed or new. Default: a new one. */
  id?: string | undefined;
  /** What a client has chosen before the conversation was opened again. */
  mode?: PermissionMode;
  model?: string;
}

/** The answers to the questions of a conversation. */
export interface ConversationPorts {
  askPermission: AskPermission;
  askUser: AskUser;
  /** Says something to the person. */
  tell(sentence: string): void;
  /** Unsaved texts of the clients that are editors. */
  readonly buffers: EditorBuffers;
}

/** Rejects with a `ConversationRefused` that says why, if there can be no conversation. */
export type OpenConversation = (place: SessionPlace, ports: ConversationPorts) => Promise<HostedConversation>;

/** A conversation, and what clients may change in it. */
export interface HostedConversation {
  readonly agent: FullAgent;
  /** What was said before, if the session was resumed. `messages` has all of it, also what a summary has replaced. */
  readonly past?: Pick<RestoredSession, 'messages' | 'displays' | 'failures' | 'openCalls'> | undefined;
  /** What an earlier process has left to do: the ids of the prompts that have begun, and whether the last has not ended. */
  readonly left?: { promptIds: readonly string[]; isUnfinished: boolean } | undefined;
  /** How long a question waits for an answer; undefined for any time. */
  readonly answerLimitMs?: number | undefined;
  /** US dollars that it had cost before it was resumed; null if that is not known. */
  readonly spentUsd: number | null;
  readonly title: string;
  /** A run starts: applies the model that was chosen last. */
  begin(): void;
  readonly model: {
    /** "provider/name". */
    readonly current: string;
    choices(): ReadonlyArray<{ value: string; name: string; description: string }>;
    /** Rejects with a message for the person. */
    choose(name: string): Promise<void>;
  };
  readonly effort: {
    readonly current: Effort | undefined;
    /** Those that the model accepts; undefined if that is not known. */
    readonly accepted: readonly Effort[] | undefined;
    set(effort: Effort | undefined): Promise<void>;
  };
  /** Why the mode is not available; undefined if it is. */
  refuseMode(mode: PermissionMode): string | undefined;
  /** What of the folder needs trust and has none; undefined if there is nothing. */
  pendingTrust(): TrustRequest | undefined;
  /** Records that a person trusts it. It applies once the conversation is opened again. */
  trust(): Promise<void>;
  /** The git worktree that it works in. */
  readonly worktree?: { readonly name: string; readonly branch: string } | undefined;
  /** Returns sentences for the person: what became of its worktree. */
  close(why: CloseReason): Promise<readonly string[]>;
}

/**
 * `stopped`: a client has ended the session. `rested`: it has done what it was asked, and nothing has come for a while.
 * `left`: it is opened again at once, or goes on another time.
 */
export type CloseReason = 'stopped' | 'rested' | 'left';

/** Why a conversation can't be opened. */
export type RefusalKind =
  /** No model is set up, or its key is missing. */
  | 'no_model'
  /** There is no such session, or another process uses it. */
  | 'session'
  /** Settings or the given folder can't be used. */
  | 'settings';

export class ConversationRefused extends UserFacingError {
  override readonly name = 'ConversationRefused';
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}
