import type { CallEnvironment } from '../calls/environment.js';
import type { AgentEvent, AgentHappening, RunOutcome } from '../contract/event.js';
import type { Message, UserBlock, UserMessage } from '../contract/message.js';
import type { Model, ModelFailure, StopReason, Usage } from '../contract/model.js';
import { monotonicMs, steadyClock } from '../platform/clock.js';
import { EventQueue } from '../platform/event-queue.js';
import { conversationHooks } from './conversation-hooks.js';
import type { SessionKeeper } from './lazy-store.js';
import type { Session } from './session.js';
import { runTurn, type TurnOutcome } from './turn.js';
import { addUsage, costOf, noUsage } from './usage.js';

const MAX_CUT_ANSWERS = 3; // in a row: a model that can't get under the output limit won't on the fourth try
const MAX_BROKEN_STREAMS = 3;
const MAX_MALFORMED_TURNS = 5;
const MAX_PAUSES = 10; // in a row, as many as the provider's own loop of server-side tools makes

export interface LoopInput {
  session: Session;
  model: Model;
  system: readonly string[];
  environment(emit: (happening: AgentHappening) => void): CallEnvironment;
  /** Keeps what happens. */
  keeper?: Pick<SessionKeeper, 'prompt' | 'take' | 'begin'> | undefined;
  /** Takes over what has changed in settings. */
  refresh?(emit: (happening: AgentHappening) => void): Promise<void>;
  prompt: readonly UserBlock[];
  /** How many requests to the model this run may make. */
  maxTurns?: number | undefined;
  signal: AbortSignal;
}

/** Runs one prompt to its end. Whoever stops reading the events interrupts the run. */
export async function* runLoop(input: LoopInput): AsyncGenerator<AgentEvent, void, void> {
  const queue = new EventQueue<AgentEvent>();
  const stop = new AbortController();
  const signal = AbortSignal.any([input.signal, stop.signal]);
  const now = steadyClock();
  const emit = (happening: AgentHappening): void => {
    input.keeper?.take(happening);
    queue.push(Object.assign(happening, { at: now() }));
  };
  let isOver = false;
  const driving = drive({ ...input, signal }, emit)
    .then(
      () => queue.end(),
      (error: unknown) => queue.fail(error),
    )
    .finally(() => {
      isOver = true;
    });
  try {
    yield* queue;
  } finally {
    if (!isOver) stop.abort();
    await driving;
  }
}

async function drive(input: LoopInput, emit: (happening: AgentHappening) => void): Promise<void> {
  const { session, model, signal, maxTurns = Number.POSITIVE_INFINITY } = input;
  const run = new RunRecord(model);
  const environment = input.environment((happening) => {
    run.note(happening);
    emit(happening);
  });
  const say = (message: Message): void => {
    session.transcript.append(message);
    if (message.role === 'user') emit({ type: 'user_message', message });
  };
  const finish = (outcome: RunOutcome, text: string): void => emit(run.result(outcome, text));

  emit({
    type: 'session_start',
    sessionId: session.id,
    cwd: session.cwd,
    model: model.name,
    mode: session.mode,
    tools: [...session.tools.names],
  });
  await input.refresh?.(emit);
  const hooks = conversationHooks(environment.hooks, session, { emit, signal });
  const { added, refused } = await hooks.onPrompt(input.prompt);
  if (refused !== undefined) return finish('stopped', refused);
  const prompt = [...input.prompt, ...added, ...session.takeReminders()];
  session.transcript.append({ role: 'user', content: prompt });
  input.keeper?.prompt(prompt);

  for (let turn = 1; turn <= maxTurns; turn += 1) {
    emit({ type: 'turn_start', turn });
    if (turn > 1) await input.refresh?.(emit);
    const request = {
      system: input.system,
      tools: session.tools.definitions(),
      messages: session.transcript.forRequest(),
      onSent: () => {
        // One after the other: a call may come at once, and what keeps the session must not be in its way.
        void session.tools.preload(session).then(() => setImmediate(() => void input.keeper?.begin()));
      },
    };
    setImmediate(() => void session.tools.load()); // while the connection is being made, there is nothing else to do
    const started = monotonicMs();
    const claimCallId = (id: string): string => session.claimCallId(id);
    const outcome = await runTurn({ model, request, environment, claimCallId, signal });
    run.add(outcome, monotonicMs() - started);

    if (outcome.message) {
      say(outcome.message);
      emit({ type: 'assistant_message', message: outcome.message, id: outcome.id, model: outcome.model });
    }
    let next = run.next(outcome);
    if (next.end === 'completed') {
      const say = await hooks.onEnd(next.text);
      if (say !== undefined) next = { say };
    }
    const content: UserBlock[] = [...outcome.results];
    if (next.say !== undefined) content.push({ type: 'text', text: next.say });
    // Only with what the model reads next: after its last word they wait for the next prompt.
    if (content.length > 0 && next.end === undefined) content.push(...session.takeReminders());
    if (content.length > 0) say({ role: 'user', content } satisfies UserMessage);
    emit({ type: 'turn_end', turn, stopReason: outcome.stopReason, usage: outcome.usage });
    if (next.end !== undefined) return finish(next.end, next.text);
  }
  finish(
    'max_turns',
    `Stopped after ${maxTurns === 1 ? 'one turn' : `${maxTurns} turns`}, the limit set for this run, before the work was done.`,
  );
}

/** What to do after a turn: end the run, or go on, where needed with a word to the model. */
type Next = { end: RunOutcome; text: string; say?: string } | { end?: undefined; say?: string };

/** What one run has seen so far, and what follows from each turn. */
class RunRecord {
  readonly #started = monotonicMs();
  readonly #denials: Array<{ tool: string; callId: string; input: unknown }> = [];
  readonly #inputs = new Map<string, unknown>();
  readonly #model: Model;
  #usage: Usage = noUsage;
  #costUsd: number | null = 0;
  /** Whether another model answers this turn, whose prices we don't know. */
  #standsIn = false;
  #modelMs = 0;
  #turns = 0;
  #stopReason: StopReason | null = null;
  #cutAnswers = 0;
  #brokenStreams = 0;
  #malformedTurns = 0;
  #pauses = 0;
  #nudged = false;
  #stopRequest: string | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  note(happening: AgentHappening): void {
    if (happening.type === 'stop_request') this.#stopRequest ??= happening.reason;
    if (happening.type === 'model_retry') {
      const { provider, name } = this.#model;
      this.#standsIn = happening.provider !== provider || happening.model !== name;
    }
    if (happening.type === 'tool_call') this.#inputs.set(happening.callId, happening.input);
    if (happening.type !== 'tool_result') return;
    if (happening.failure === 'permission_denied') {
      const { callId, tool } = happening;
      this.#denials.push({ tool, callId, input: this.#inputs.get(callId) });
    }
    this.#inputs.delete(happening.callId);
  }

  add(outcome: TurnOutcome, milliseconds: number): void {
    this.#turns += 1;
    this.#modelMs += milliseconds;
    this.#usage = addUsage(this.#usage, outcome.usage);
    this.#costUsd = this.#addCost(outcome);
    this.#standsIn = false;
    this.#stopReason = outcome.stopReason;
  }

  /** Complete calls decide, not the stop reason alone: where there are results, the model gets to see them. */
  next(outcome: TurnOutcome): Next {
    if (this.#stopRequest !== undefined) return { end: 'stopped', text: this.#stopRequest };
    if (outcome.interrupted) {
      return { end: 'interrupted', text: 'Interrupted.', say: '[The user interrupted here.]' };
    }
    const { failure, results, stopReason } = outcome;
    if (failure) return this.#afterFailure(failure, outcome);
    this.#brokenStreams = 0;

    if (stopReason === 'refusal') {
      const why = outcome.explanation ? `: ${outcome.explanation}` : '';
      return {
        end: 'refused',
        text: `The model refused to go on${why}. Rephrase the request, or choose another model.`,
      };
    }
    this.#malformedTurns =
      results.length > 0 && outcome.malformedCalls === results.length ? this.#malformedTurns + 1 : 0;
    if (this.#malformedTurns >= MAX_MALFORMED_TURNS) {
      const text = `The model sent ${MAX_MALFORMED_TURNS} answers in a row whose calls could not be understood. Try another model.`;
      return { end: 'malformed_calls', text };
    }
    if (stopReason === 'max_tokens') return this.#afterCutAnswer(outcome);
    this.#cutAnswers = 0;
    if (results.length > 0) return {};
    if (stopReason === 'context_overflow') return contextOverflow;
    this.#pauses = stopReason === 'pause_turn' ? this.#pauses + 1 : 0;
    if (this.#pauses > 0 && this.#pauses <= MAX_PAUSES && outcome.message) return {};
    if (!outcome.message && !this.#nudged) {
      this.#nudged = true;
      return { say: '[Your answer was empty. Go on with the task, or say in a sentence that it is done.]' };
    }
    return { end: 'completed', text: outcome.text };
  }

  result(outcome: RunOutcome, text: string): AgentHappening {
    return {
      type: 'result',
      outcome,
      text,
      turns: this.#turns,
      stopReason: this.#stopReason,
      usage: this.#usage,
      costUsd: this.#costUsd,
      modelMs: this.#modelMs,
      totalMs: monotonicMs() - this.#started,
      denials: this.#denials,
    };
  }

  /** Unknown for the whole run once it is unknown for a turn, as when another model stood in. */
  #addCost({ usage, message }: TurnOutcome): number | null {
    const prices = this.#standsIn ? undefined : this.#model.facts?.prices;
    if (this.#costUsd === null || (!prices && message)) return null;
    return this.#costUsd + (prices ? costOf(usage, prices) : 0);
  }

  /** Never from scratch once something was completed: what ran must not run twice, so the conversation goes on from there. */
  #afterFailure(failure: ModelFailure, outcome: TurnOutcome): Next {
    this.#brokenStreams += 1;
    if (failure.kind === 'context_overflow') return contextOverflow;
    // One that was sent again in vain, again and again, ends the run, whatever the last try left unfinished.
    const isHopeless = failure.transient === false || this.#brokenStreams > MAX_BROKEN_STREAMS;
    if (!outcome.message || isHopeless) return { end: 'model_error', text: failure.message };
    if (outcome.results.length > 0) return {};
    return { say: '[The connection broke while you were answering. Go on exactly where you stopped.]' };
  }

  #afterCutAnswer({ results }: TurnOutcome): Next {
    this.#cutAnswers += 1;
    if (this.#cutAnswers > MAX_CUT_ANSWERS) {
      const text = `The model's answers reached its limit of output tokens ${this.#cutAnswers} times in a row. Ask for smaller steps, or choose a model with a higher limit.`;
      return { end: 'output_limit', text };
    }
    if (results.length > 0) return {};
    return {
      say: '[Your answer reached the limit of output tokens and was cut off. Go on exactly where it stopped, in smaller steps.]',
    };
  }
}

const contextOverflow: Next = {
  end: 'context_overflow',
  text: "The conversation no longer fits the model's context window. Start a new session, or choose a model with a larger one.",
};
