// What the conversation with a host needs of the command line.

import type { FullAgent } from '../../compose/create-agent.js';
import type { Effort, Model } from '../../contract/model.js';
import type { PermissionMode } from '../../contract/permission.js';
import type { Settings } from '../../settings/settings.js';
import type { RunEnd } from '../headless/finish-run.js';
import type { WatchedModel } from '../watched-model.js';
import type { WriteOut } from './control-channel.js';
import type { HostTranscript } from './host-transcript.js';
import type { PermissionBridgeOptions } from './permission-bridge.js';

export interface HostOptions {
  sessionId: string;
  version: string;
  write: WriteOut;
  /** The copy of the conversation that the host reads from disk. */
  transcript?: Pick<HostTranscript, 'prompt'> | undefined;
  apiKeySource(): string;
  /** Those that the session has loaded, and where they are. */
  plugins?: ReadonlyArray<{ name: string; path: string }> | undefined;
  outputStyle(): string;
  /** Whether the host is asked for permission. */
  asksHost: boolean;
  partialMessages: boolean;
  replayPrompts: boolean;
  saveRule: PermissionBridgeOptions['saveRule'];
  /** Why a mode is not available; undefined if it is. */
  refuseMode(mode: PermissionMode): string | undefined;
  /** A model by its name, or the first one; rejects with `RequestRefused`. */
  findModel(name: string | undefined): Promise<Model>;
  /** Answers with this model from the next prompt on. */
  useModel(model: Model): void;
  /** The model and the effort of the next prompt. */
  applied(): { model: string; effort: Effort | null };
  /** Changes how much the models think from the next prompt on; undefined for their own default. */
  chooseEffort(effort: Effort | undefined): Promise<void>;
  /** The models to choose from, for `initialize`. */
  models(): readonly unknown[];
  settings(): Settings;
  /** The host gets a line when one of its hooks is called and when it has answered. */
  hookEvents: boolean;
  /** The host reads whether the session works, waits for it or is idle. */
  tellsState: boolean;
  /** Notices from before the conversation, such as flags without effect. */
  notices: readonly string[];
}

/** What the conversation of a host runs with, once it is set up. */
export interface HostParts {
  agent: FullAgent;
  model: WatchedModel;
  end: RunEnd;
}
