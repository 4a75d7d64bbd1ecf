// What the terminal needs of whoever puts a conversation together: types, and nothing else.
import type { Message } from '../../contract/message.js';
import type { AskPermission, PermissionMode } from '../../contract/permission.js';
import type { AskUser } from '../../contract/question.js';
import type { Agent } from '../../create-agent.js';
import type { Engine } from '../../create-engine.js';
import type { WatchedSettings } from '../../settings/watch.js';
import type { Choice, SetupFinding } from '../contract.js';

/** Which conversation is wanted: a new one, unless one is to be taken up. */
export interface SessionWish {
  /** An id, the beginning of one, or `last`. */
  resume?: string | undefined;
  /** One is to be taken up, and the person is asked which. Whoever opens a conversation has asked before. */
  picks?: boolean | undefined;
  /** Go on in a copy. */
  fork?: boolean | undefined;
  /** With `fork`: what was said from this prompt on, counted from 0, is left out. */
  beforePrompt?: number | undefined;
  /** The mode that was chosen meanwhile. */
  mode?: PermissionMode | undefined;
  /** The model that was chosen meanwhile. */
  model?: string | undefined;
  /** Folders that were added meanwhile. */
  folders?: readonly string[] | undefined;
}

/** Where questions and news of the session go. */
export interface SessionPorts {
  askPermission: AskPermission;
  askUser: AskUser;
  /** A sentence for the person. */
  tell(sentence: string): void;
}

export interface OpenedSession {
  readonly engine: Engine;
  /** Absent where no model is set up: then only the tools can be used. */
  readonly agent: Agent | undefined;
  /** Why there is no model. */
  readonly withoutModel: string | undefined;
  readonly settings: WatchedSettings;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What was said before, where the session was taken up. */
  readonly history: readonly Message[];
  /** "provider/name". */
  readonly model: string | undefined;
  readonly contextTokens: number | undefined;
  /** The name of the tool that runs what a person types behind `!`. */
  readonly commandTool: string;
  /** A run begins: the model that was chosen last answers. */
  begin(): void;
  models(): Promise<readonly Choice[]>;
  /** Gives "provider/name". Rejects with a sentence for the person. */
  chooseModel(name: string): Promise<string>;
  /** Why the mode can't be had here; undefined where it can. */
  refuseMode(mode: PermissionMode): string | undefined;
  checkSetup(): Promise<readonly SetupFinding[]>;
  explain(tool: string, input: unknown): Promise<string>;
  close(): Promise<void>;
}
