import { resolve } from 'node:path';
import type { Commands } from '../agent/commands/commands.js';
import type { Session } from '../agent/session.js';
import type { CompleteCall } from '../calls/assemble.js';
import type { Engine, RunCallsOptions, ToolResult } from '../contract/engine.js';
import type { Hooks } from '../contract/hook.js';
import type { TextBlock, ToolResultBlock } from '../contract/message.js';
import type { Rule } from '../permissions/rule.js';
import type { Calls } from './call-environment.js';
import { checkCalls, checkFolder, checkMode } from './check-calls.js';
import { composeSession } from './compose-session.js';
import type { FullEngineOptions } from './options.js';
import type { RefreshSettings } from './refresh-settings.js';
import { existingFolder } from './resolve-options.js';
import type { EngineServers } from './servers.js';
import type { ToolSession } from './tool-session.js';

/** The engine inside Helve: that of programs, and what the command line, the terminal and tests use in addition. */
export interface FullEngine extends Engine, Calls {
  readonly session: Session;
  /** Like `runCalls`, but leaves reminders for the model's next message. */
  callTools(calls: readonly CompleteCall[], options?: RunCallsOptions): Promise<ToolResultBlock[]>;
  /** Resolves once the definitions of the tools are complete; waits for MCP servers that were named for this session. */
  ready(): Promise<void>;
  refresh: RefreshSettings;
  readonly servers: EngineServers;
  readonly hooks: Hooks;
  /** All permission rules that apply now, from all sources. */
  rules(): readonly Rule[];
  /** Undefined unless the option `commands` is set. */
  readonly commands: Commands | undefined;
  /** `source`: whether a person typed a command, or a program asked for it. */
  addDirectory(path: string, source?: 'slash_command' | 'register_repo_root'): void;
}

/** The tools with their permissions and a session, without a model. Nothing is loaded or written before the first call. */
export const createEngine = (options: FullEngineOptions = {}): FullEngine =>
  engineOf(composeSession(options, { as: 'tools' }));

/** The engine of a session. */
export function engineOf(composed: ToolSession): FullEngine {
  const { session, policy, hooks, servers, notifications, caller } = composed;
  const { tools } = session;
  const stopWaiting = new AbortController();
  let waited: Promise<void> | undefined;
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => {
    stopWaiting.abort();
    ended ??= composed.end();
    return ended;
  };
  const ready = async (): Promise<void> => {
    waited ??= servers.servers.beforePrompt({ signal: stopWaiting.signal, isResumed: false });
    await Promise.all([waited, tools.ready()]);
  };
  return {
    id: session.id,
    root: session.root,
    get cwd() {
      return session.cwd;
    },
    get mode() {
      return session.mode;
    },
    set mode(mode) {
      session.mode = checkMode(mode);
    },
    ready,
    async tools() {
      await ready();
      return tools.definitions().map(({ name, description, input_schema }) => ({
        name,
        description,
        input_schema: { ...input_schema, type: 'object' },
      }));
    },
    async runCalls(calls, options) {
      checkCalls(calls, options);
      // An input that is not an object fails the schema of every tool, and the result reports that.
      const checked = calls.map(({ id, name, input }) => ({ id, name, input: input as Record<string, unknown> }));
      const results = await caller.call(checked, options);
      const last = results.at(-1);
      if (last) results.splice(-1, 1, { ...last, content: withReminders(last.content, session.takeReminders()) });
      return results as ToolResult[]; // images of other types are removed from results before
    },
    addDirectory(path, source = 'register_repo_root') {
      checkFolder(path);
      const isNew = !policy.workspace().includes(path);
      policy.addFolder(existingFolder(path));
      servers.client.rootsChanged();
      if (isNew) notifications.note('DirectoryAdded', { directory: resolve(path), source });
    },
    end,
    [Symbol.asyncDispose]: end,
    session,
    environment: composed.environment,
    contextFor: composed.contextFor,
    callTools: (calls, options) => caller.call(calls, options),
    refresh: composed.refresh,
    servers: servers.servers,
    hooks,
    rules: () => policy.rules(),
    commands: composed.commands,
  };
}

/** Appends reminders to the content, such as that a background command has ended. */
export function withReminders(
  content: ToolResultBlock['content'],
  reminders: readonly TextBlock[],
): ToolResultBlock['content'] {
  if (reminders.length === 0) return content;
  return [...(typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content), ...reminders];
}
