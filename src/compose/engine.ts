// The engine inside Helve: that of programs, and what the command line, the terminal and tests use in addition.
import type { Commands } from '../agent/commands/commands.js';
import type { Session } from '../agent/session.js';
import type { CompleteCall } from '../calls/assemble.js';
import type { Engine, RunCallsOptions } from '../contract/engine.js';
import type { Hooks } from '../contract/hook.js';
import type { ToolResultBlock } from '../contract/message.js';
import type { Calls } from './call-environment.js';
import type { RefreshSettings } from './refresh-settings.js';
import type { EngineServers } from './servers.js';

export interface FullEngine extends Engine, Calls {
  readonly session: Session;
  /** Like `runCalls`, but leaves reminders for the model's next message. */
  callTools(calls: readonly CompleteCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** Resolves once the definitions of the tools are complete; waits for MCP servers that were named for this session. */
  ready(): Promise<void>;
  refresh: RefreshSettings;
  readonly servers: EngineServers;
  readonly hooks: Hooks;
  /** Undefined unless the option `commands` is set. */
  readonly commands: Commands | undefined;
  /** `source`: whether a person typed a command, or a program asked for it. */
  addDirectory(path: string, source?: 'slash_command' | 'register_repo_root'): void;
}
