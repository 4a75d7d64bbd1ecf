import type { Session } from '../agent/session.js';
import { emitter, type SessionComponent } from '../agent/session-component.js';
import type { CompleteCall } from '../calls/assemble.js';
import type { CallEnvironment } from '../calls/environment.js';
import { runCall } from '../calls/run-call.js';
import type { RunCallsOptions } from '../contract/engine.js';
import type { AgentHappening } from '../contract/event.js';
import type { ToolResultBlock } from '../contract/message.js';
import { isMcpName } from '../platform/text/mcp-names.js';
import type { HookNotifications } from './hook-notifications.js';
import type { RefreshSettings } from './refresh-settings.js';
import type { ConnectedServers } from './servers.js';

interface CallToolsParts {
  session: Session;
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  refresh: RefreshSettings;
  watchers: readonly SessionComponent[];
  servers: ConnectedServers;
  notifications: HookNotifications;
}

/** Runs calls that no model has made: those of a person, a program or a command. */
export class ToolCaller {
  readonly #parts: CallToolsParts;
  readonly #running = new Map<AbortController, Promise<unknown>>();
  #hasEnded = false;

  constructor(parts: CallToolsParts) {
    this.#parts = parts;
  }

  /** Runs the calls of one message; the results come in the order of the calls. */
  async call(
    calls: readonly CompleteCall[],
    { signal, onEvent = () => {} }: RunCallsOptions = {},
  ): Promise<ToolResultBlock[]> {
    if (this.#hasEnded) throw new Error('This engine has ended, so it runs no more calls. Create another one.');
    const stop = new AbortController();
    const stopped = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const results = this.#run(calls, { signal: stopped, onEvent });
    this.#running.set(stop, results);
    try {
      return await results;
    } finally {
      this.#running.delete(stop);
    }
  }

  /** Stops the calls that are running, and waits for them. No call can be made afterwards. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    const calls = [...this.#running.values()];
    for (const stop of this.#running.keys()) stop.abort(new Error('Interrupted.'));
    await Promise.allSettled(calls);
  }

  async #run(
    calls: readonly CompleteCall[],
    { signal, onEvent }: Required<RunCallsOptions>,
  ): Promise<ToolResultBlock[]> {
    const { session, watchers, servers, notifications } = this.#parts;
    const emit = emitter(watchers, onEvent);
    await this.#parts.refresh(emit);
    // There may have been no prompt that started the server of such a call.
    const fromServers = calls.map(({ name }) => name).filter(isMcpName);
    if (fromServers.length > 0) {
      const isEnough = (): boolean =>
        fromServers.every((name) => session.tools.all.some(({ tool }) => tool.name === name));
      await servers.client.settled({ signal, isEnough });
    }
    const environment = this.#parts.environment(emit);
    const note = emitter(watchers, () => {}); // the caller knows its calls
    for (const { id: callId, name: tool, input } of calls) {
      note({ type: 'tool_call', callId, tool, input, display: { title: tool } });
    }
    const results = await Promise.all(calls.map((call) => runCall(call, environment, signal)));
    await notifications.settled();
    return results;
  }
}
