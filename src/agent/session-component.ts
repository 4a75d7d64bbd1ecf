// A conversation is a list of components. Each lives as long as the conversation, keeps its own state, and implements the
// moments at which it takes part. Components do not import each other; compose/ puts them together.
import type { AgentEvent, AgentHappening, RunOutcome, RunResult } from '../contract/event.js';
import type { AssistantBlock, AssistantMessage, ToolResultBlock, UserBlock } from '../contract/message.js';
import type { SeenFile } from '../contract/tool-context.js';

/** One run of a prompt, as components see it. */
export interface RunMoment {
  /** Sends an event to all components and to the caller. */
  emit(happening: AgentHappening): void;
  signal: AbortSignal;
}

/** The answer of a component to a prompt. Left out: the prompt stays as it is. */
export interface PromptChange {
  /** Replaces the prompt, for later components too. */
  prompt?: readonly UserBlock[];
  /** Appended to the prompt. */
  add?: readonly UserBlock[];
  /** Ends the run before anything is sent, with this text as its result. */
  refuse?: string;
}

/** How a run ends, and its text. */
export interface EarlyEnd {
  end: RunOutcome;
  text: string;
}

/** An answer of the model whose calls are done. */
export interface DoneTurn {
  message: AssistantMessage | undefined;
  /** As they were settled. */
  results: readonly ToolResultBlock[];
  /** As they go to the model. */
  sent: readonly ToolResultBlock[];
  /** Whether the run continues. */
  goesOn: boolean;
}

type SessionStart = Extract<AgentHappening, { type: 'session_start' }>;

export interface SessionComponent {
  readonly name: string;
  /** Gets every event even after it has thrown, since it records them. Other components get no more events then. */
  readonly isEssential?: boolean;
  /** A run begins: loads what the first request needs. Components prepare at the same time. */
  prepare?(prompt: readonly UserBlock[], run: RunMoment): Promise<void>;
  /** Its part of the event `session_start`. */
  describe?(): Partial<SessionStart>;
  /** Starts with the first request. No call begins before it is done. */
  open?(): Promise<void>;
  /** Applies changes of settings and files, before the first prompt is read and before each later request. */
  refresh?(run: RunMoment): Promise<void>;
  /** Its part of the event `result`. */
  describeResult?(): Partial<RunResult>;
  /** In the order of the components. */
  beforePrompt?(prompt: readonly UserBlock[], run: RunMoment): Promise<PromptChange | undefined>;
  /** The prompt is in the history. */
  onPrompt?(content: readonly UserBlock[]): void;
  /** Called before a message is added to the history, in the order of the components, to add reminders to it. */
  beforeMessage?(): Promise<void>;
  /** Called before each request. Returns why the run ends instead, if it does. */
  beforeRequest?(): EarlyEnd | undefined;
  /** A block of the answer is complete. Not called for calls, which have an event. */
  onBlock?(block: AssistantBlock): void;
  /** The answer is complete and will be kept; its calls may still run. */
  onAnswer?(message: AssistantMessage, facts: { id: string; model: string }): void;
  /** The model has seen lines of a file. */
  onSeen?(real: string, seen: SeenFile): void;
  /** The calls of an answer are done. Returns the reason to end the run, if any. */
  afterTurn?(turn: DoneTurn, run: RunMoment): Promise<string | undefined>;
  /** The model wants to end. Returns what it is sent instead, or how the run ends; the first answer counts. */
  beforeEnd?(lastText: string, run: RunMoment): Promise<string | EarlyEnd | undefined>;
  /** Called with every event, in order. */
  onEvent?(event: AgentEvent): void;
  /** The component for a child agent, if it tells the events of agents apart; else it gets those of all. */
  ofChild?(agent: ChildOrigin): SessionComponent;
  /** A request has left for the model: other work no longer delays it. */
  onRequestSent?(): void;
  /** A summary has replaced the history: what was announced to the model must be announced again. */
  onCompacted?(): void;
  /** Resolves once everything that an interrupt stops in addition to the calls has stopped. */
  onInterrupted?(): Promise<void>;
  /** The run has failed; its result follows. */
  onFailed?(outcome: RunOutcome, text: string, run: RunMoment): Promise<void>;
  /** The run is over, whether or not the caller has read its events. */
  afterRun?(): void;
  /** The conversation ends. */
  end?(): Promise<void>;
}

/** Where the events of a child agent come from. */
export interface ChildOrigin {
  type: string;
  /** The call that started it. */
  parentCallId: string;
}

/** Calls one moment of all components at the same time. */
export async function atOnce(
  components: readonly SessionComponent[],
  call: (component: SessionComponent) => Promise<unknown> | undefined,
): Promise<void> {
  await Promise.all(components.map(async (component) => await call(component)));
}

/**
 * Delivers every event: adds the time, calls every component in order, and passes the event to the caller with `sink`. A
 * component or a caller that throws does not make a successful call fail: the error is reported, and a component that is
 * not essential gets no more events.
 */
export function emitter(
  components: readonly SessionComponent[],
  sink: (event: AgentEvent) => void,
  now: () => number = Date.now,
): (happening: AgentHappening) => void {
  const failed = new Set<SessionComponent>();
  const waiting: AgentHappening[] = [];
  const deliver = (happening: AgentHappening): void => {
    const event: AgentEvent = Object.assign(happening, { at: now() });
    for (const component of components) {
      if (failed.has(component)) continue;
      if (!guarded(() => component.onEvent?.(event)) && !component.isEssential) failed.add(component);
    }
    if (event.type === 'compaction' && event.summarisedMessages > 0) {
      for (const component of components) guarded(() => component.onCompacted?.());
    }
    guarded(() => sink(event));
  };
  return (happening) => {
    waiting.push(happening);
    if (waiting.length > 1) return; // emitted while another event is delivered: delivered after that one
    for (let next: AgentHappening | undefined = happening; next !== undefined; next = waiting[0]) {
      deliver(next);
      waiting.shift();
    }
  };
}

/** True if it did not throw. */
function guarded(call: () => void): boolean {
  try {
    call();
    return true;
  } catch (error) {
    process.emitWarning(error instanceof Error ? error : String(error));
    return false;
  }
}
