// The engine inside Helve: that of programs, and what the command line, the terminal and agents use in addition.
import type { Commands } from '../agent/commands/commands.js';
import type { Session } from '../agent/session.js';
import type { SessionComponent } from '../agent/session-component.js';
import type { CompleteCall } from '../calls/assemble.js';
import type { CallEnvironment } from '../calls/environment.js';
import type { Engine, RunCallsOptions } from '../contract/engine.js';
import type { AgentHappening } from '../contract/event.js';
import type { Hooks } from '../contract/hook.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { Decide, PermissionMode } from '../contract/permission.js';
import type { Approval, ToolContext } from '../contract/tool-context.js';
import type { HookNotifications } from './hook-notifications.js';
import type { EngineServers } from './servers.js';

export interface FullEngine extends Engine {
  readonly session: Session;
  /** The call environment that sends its events to `emit`. */
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** Decides by the rules of the session as if it were in this mode: for child agents, whose rights are narrower. */
  decideIn(mode: PermissionMode): Decide;
  /** Like `runCalls`, but leaves reminders for the model's next message. */
  callTools(calls: readonly CompleteCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** What a tool can use of the session, for one call. */
  contextFor(callId: string, signal: AbortSignal, approval?: Approval): ToolContext;
  /** Applies changes of settings; called at the beginning of each turn. */
  refresh(emit: (happening: AgentHappening) => void): Promise<void>;
  readonly servers: EngineServers;
  readonly hooks: Hooks;
  /** The components that see every call of the session and of its child agents. */
  readonly watchers: readonly SessionComponent[];
  /** Absent unless the option `commands` is set. */
  readonly commands: Commands | undefined;
  /** Ends what commands have brought for a prompt: their rules and their model. */
  endCommands(): void;
  /** Whether a person has trusted the project. */
  isTrusted(): boolean;
  addDirectory(path: string, source?: 'slash_command' | 'register_repo_root'): void;
  readonly hookNotifications: HookNotifications;
  /** Shows a notice to the person, now or with the next turn. */
  notify(text: string): void;
  /** Reports once where the session is if the data folder could not take all of it; to be called at the very end. */
  reportUnsavedData(): void;
}
