import type { Commands } from '../agent/commands/commands.js';
import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { ToolCall } from '../calls/assemble.js';
import type { CallEnvironment } from '../calls/environment.js';

import type { AgentHappening } from '../contract/event.js';
import type { Hooks } from '../contract/hook.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { Decide, PermissionMode } from '../contract/permission.js';
import type { Approval, ToolContext } from '../contract/tool-context.js';
import type { Moments } from './hook-notifications.js';
import type { EngineServers } from './servers.js';

/** The tools with their gate, their permissions and their session, without a model: bring your own loop. */
export interface Engine {
  readonly session: Session;
  /** The call environment that sends its events to `emit`. */
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** By the same rules as a call of the session, as if this were the mode: for children, whose rights are narrower. */
  decideIn(mode: PermissionMode): Decide;
  /** Runs the calls of one message; the results come in the order of the calls. */
  runCalls(calls: readonly ToolCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** What a tool gets to see of the session, for one call. */
  contextFor(callId: string, signal: AbortSignal, approval?: Approval): ToolContext;
  /** Takes over what has changed in settings; whoever begins a turn calls it. */
  refresh(emit: (happening: AgentHappening) => void): Promise<void>;
  readonly servers: EngineServers;
  readonly hooks: Hooks;
  /** The components that see every call of the session and of its child agents. */
  readonly watchers: readonly SessionComponent[];
  /** Absent where nobody asked for them. */
  readonly commands: Commands | undefined;
  /** What commands have brought for a prompt no longer counts: what they allow and refuse, and their model. */
  endCommands(): void;
  /** Whether a person has trusted the project with all that it brings. */
  isTrusted(): boolean;
  /** From now on the folder counts as part of the project when it comes to reading. Throws where there is none. */
  addDirectory(path: string, source?: 'slash_command' | 'register_repo_root'): void;
  readonly moments: Moments;
  /** Tells the person something, now or with the next turn. */
  notify(text: string): void;
  /** Says once where the session is kept if the data folder could not take all of it; to be called at the very end. */
  tellKept(): void;
  /** Stops calls that are under way, and ends everything that they have left running. Once more does nothing. */
  end(): Promise<void>;
}

export interface RunCallsOptions {
  signal?: AbortSignal;
  onEvent?: (happening: AgentHappening) => void;
}
