// Observers, such as the debug log and tracing, see a run without affecting it: the events of the conversation,
// each request to a model with its outcome, and each run of hooks.
import type { AgentEvent } from '../../contract/event.js';
import type { HookEvent, HookOutcome, HookPayloads, Hooks } from '../../contract/hook.js';
import type { Model, ModelEvent, ModelRequest } from '../../contract/model.js';
import { monotonicMs } from '../../platform/clock.js';

export interface Observer {
  /** Called when a run begins: before its first event and its first request, which may be sent before events are read. */
  begin?(): void;
  take(event: AgentEvent): void;
  /** Called for each request, including retries. The returned observer gets its events. */
  request?(model: Model, request: ModelRequest): RequestObserver;
  hooks?(run: HookRun): void;
  /** Called with warnings of Node or Helve that are not shown to the person. */
  warning?(warning: Error): void;
  /** Called last. */
  close(): void | Promise<void>;
}

export interface RequestObserver {
  take(event: ModelEvent): void;
  /** Called once. `stopped`: it was interrupted, or the reader of the answer stopped. */
  end(how: { failure?: unknown; stopped?: boolean }): void;
}

/** A run of all hooks of one event. */
export interface HookRun {
  event: HookEvent;
  /** The tool, if the event is about a call. */
  tool?: string;
  callId?: string;
  milliseconds: number;
  outcome?: HookOutcome;
  failure?: unknown;
}

/** Passes the events through, and shows them to the observers. */
export async function* observedEvents(
  events: AsyncIterable<AgentEvent>,
  observers: readonly Observer[],
): AsyncGenerator<AgentEvent, void, void> {
  for (const observer of observers) guarded(() => observer.begin?.());
  for await (const event of events) {
    for (const observer of observers) guarded(() => observer.take(event));
    yield event;
  }
}

/** Wraps the model, and shows each request to the observers. The list may grow until the first request. */
export function observedModel(model: Model, observers: readonly Observer[]): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const watching = observers
        .map((observer) => guarded(() => observer.request?.(model, request)))
        .filter((each) => each !== undefined);
      let how: { failure?: unknown; stopped?: boolean } = { stopped: true };
      try {
        for await (const event of model.stream(request, signal)) {
          for (const each of watching) guarded(() => each.take(event));
          yield event;
        }
        how = {};
      } catch (error) {
        how = signal.aborted ? { stopped: true } : { failure: error };
        throw error;
      } finally {
        for (const each of watching) guarded(() => each.end(how));
      }
    },
  };
}

/** Wraps the hooks, and shows each of their runs to the observers. */
export function observedHooks(hooks: Hooks, observers: readonly Observer[]): Hooks {
  return {
    ...hooks,
    async run(event, payload, options) {
      const started = monotonicMs();
      const tell = (what: Pick<HookRun, 'outcome' | 'failure'>): void => {
        const run = { event, ...aboutCall(payload), milliseconds: monotonicMs() - started, ...what };
        for (const observer of observers) guarded(() => observer.hooks?.(run));
      };
      try {
        const outcome = await hooks.run(event, payload, options);
        tell({ outcome });
        return outcome;
      } catch (failure) {
        tell({ failure });
        throw failure;
      }
    },
  };
}

function aboutCall(payload: HookPayloads[HookEvent]): Pick<HookRun, 'tool' | 'callId'> {
  return {
    ...('tool_name' in payload && { tool: payload.tool_name }),
    ...('tool_use_id' in payload && { callId: payload.tool_use_id }),
  };
}

/** Reports an error of an observer, so that it does not stop the run. */
function guarded<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
    return undefined;
  }
}
