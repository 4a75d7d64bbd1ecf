// For those who watch a run and change nothing of it, as the debug log and tracing do: what happens in the conversation,
// each request to a model with what became of it, and each moment at which hooks ran.
import type { AgentEvent } from '../../contract/event.js';
import type { HookEvent, HookOutcome, HookPayloads, Hooks } from '../../contract/hook.js';
import type { Model, ModelEvent, ModelRequest } from '../../contract/model.js';
import { monotonicMs } from '../../platform/clock.js';

export interface Observer {
  /** A run begins: before its first event, and before its first request, which may be sent ahead of who reads events. */
  begin?(): void;
  take(event: AgentEvent): void;
  /** A request is sent; each attempt is one. The returned observer gets its events. */
  request?(model: Model, request: ModelRequest): RequestObserver;
  hooks?(run: HookRun): void;
  /** Node, or code of a part, warns of something that is not for the person. */
  warning?(warning: Error): void;
  /** No method is called after it. */
  close(): void | Promise<void>;
}

export interface RequestObserver {
  take(event: ModelEvent): void;
  /** Once. `stopped`: it was interrupted, or the reader of the answer stopped. */
  end(how: { failure?: unknown; stopped?: boolean }): void;
}

/** All hooks of one moment. */
export interface HookRun {
  event: HookEvent;
  /** The tool that it is about, where it is about a call. */
  tool?: string;
  callId?: string;
  milliseconds: number;
  outcome?: HookOutcome;
  failure?: unknown;
}

/** The same events, shown to the observers on their way. */
export async function* observedEvents(
  events: AsyncIterable<AgentEvent>,
  observers: readonly Observer[],
): AsyncGenerator<AgentEvent, void, void> {
  for (const observer of observers) unharmed(() => observer.begin?.());
  for await (const event of events) {
    for (const observer of observers) unharmed(() => observer.take(event));
    yield event;
  }
}

/** The same model, whose every request is shown to the observers. They may be added to the list until the first one. */
export function observedModel(model: Model, observers: readonly Observer[]): Model {
  return {
    ...model,
    async *stream(request, signal) {
      const watching = observers
        .map((observer) => unharmed(() => observer.request?.(model, request)))
        .filter((each) => each !== undefined);
      let how: { failure?: unknown; stopped?: boolean } = { stopped: true };
      try {
        for await (const event of model.stream(request, signal)) {
          for (const each of watching) unharmed(() => each.take(event));
          yield event;
        }
        how = {};
      } catch (error) {
        how = signal.aborted ? { stopped: true } : { failure: error };
        throw error;
      } finally {
        for (const each of watching) unharmed(() => each.end(how));
      }
    },
  };
}

/** The same hooks, with each of their runs shown to the observers. */
export function observedHooks(hooks: Hooks, observers: readonly Observer[]): Hooks {
  return {
    ...hooks,
    async run(event, payload, options) {
      const started = monotonicMs();
      const tell = (what: Pick<HookRun, 'outcome' | 'failure'>): void => {
        const run = { event, ...aboutCall(payload), milliseconds: monotonicMs() - started, ...what };
        for (const observer of observers) unharmed(() => observer.hooks?.(run));
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

/** What goes wrong with looking on is no reason to stop what is looked at. */
function unharmed<Value>(look: () => Value): Value | undefined {
  try {
    return look();
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
    return undefined;
  }
}
