import type { AgentHappening, RunOutcome } from '../contract/event.js';
import type { Model, ModelFailure, StopReason, Usage } from '../contract/model.js';
import { monotonicMs } from '../platform/clock.js';
import type { TurnOutcome } from './turn.js';
import { type CountedModel, sum, UsageByModel } from './usage-by-model.js';

const MAX_CUT_ANSWERS = 3; // in a row: a model that exceeds the output limit three times will do so again
const MAX_BROKEN_STREAMS = 3; // in a row, of a model without retries
const MAX_MALFORMED_TURNS = 5;
const MAX_EMPTY_ANSWERS = 1; // in a row: the model is asked once for a text
const MAX_PAUSES = 10; // in a row, like the provider's own loop of server-side tools

/**
 * The next step after a turn: end the run, or continue, optionally with a message to the model. `continues` is the failure
 * that broke the answer off.
 */
export type NextStep =
  | { end: RunOutcome; text: string; say?: string; continues?: undefined }
  | { end?: undefined; say?: string; continues?: ModelFailure };

/** Records the state of one run, and decides after each turn how it continues. */
export class RunRecord {
  readonly #started = monotonicMs();
  readonly #denials: Array<{ tool: string; callId: string; input: unknown }> = [];
  readonly #inputs = new Map<string, unknown>();
  readonly #model: Model;
  readonly #used = new UsageByModel();
  readonly #usedInSession: UsageByModel;
  /** The model that answers this turn: the requested one, or a fallback. */
  #answering: CountedModel;
  #modelMs = 0;
  #turns = 0;
  #stopReason: StopReason | null = null;
  #cutAnswers = 0;
  #brokenStreams = 0;
  #malformedTurns = 0;
  #pauses = 0;
  #emptyAnswers = 0;
  /** The text so far of an answer that continues in the next message. */
  #saidBefore = '';
  #stopRequest: string | undefined;
  /** The failed request that ended the run. */
  #failure: ModelFailure | undefined;
  /** The cost of child agents and their children. */
  #childrenCostUsd: number | null = 0;

  constructor(model: Model, usedInSession = new UsageByModel()) {
    this.#model = model;
    this.#answering = model;
    this.#usedInSession = usedInSession;
  }

  note(happening: AgentHappening): void {
    if (happening.type === 'stop_request') this.#stopRequest ??= happening.reason;
    if (happening.type === 'model_retry') {
      if (happening.usage) this.#count(happening.usage);
      this.#answering = this.#named(happening.provider, happening.model);
      this.#brokenStreams = 0; // the model counts its retries
    }
    if (happening.type === 'compaction') {
      if (isAnything(happening.usage)) this.#count(happening.usage);
      this.#answering = this.#model;
    }
    if (happening.type === 'agent_event' && happening.event.type === 'result') {
      const { denials, costUsd } = happening.event; // includes those of its own children
      this.#denials.push(...denials);
      this.#childrenCostUsd = sum(this.#childrenCostUsd, costUsd);
    }
    if (happening.type === 'tool_call') this.#inputs.set(happening.callId, happening.input);
    if (happening.type !== 'tool_result') return;
    if (happening.failure === 'permission_denied') {
      const { callId, tool } = happening;
      this.#denials.push({ tool, callId, input: this.#inputs.get(callId) });
    }
    this.#inputs.delete(happening.callId);
  }

  add(outcome: TurnOutcome): void {
    if (outcome.failure?.kind !== 'budget') this.#turns += 1; // else the request was not sent
    this.#modelMs += outcome.modelMs;
    if (outcome.message || isAnything(outcome.usage)) this.#count(outcome.usage);
    this.#answering = this.#model; // each request begins with the requested model
    this.#stopReason = outcome.stopReason;
  }

  /** Complete calls decide before the stop reason: if there are results, they are sent to the model. */
  next(outcome: TurnOutcome, interruption: string): NextStep {
    const text = this.#saidBefore + outcome.text;
    const next = this.#after(outcome, text, interruption);
    const goesOn = next.end === undefined && outcome.results.length === 0;
    this.#saidBefore = goesOn && hasWords(text) ? text : '';
    return next;
  }

  #after(outcome: TurnOutcome, text: string, interruption: string): NextStep {
    if (this.#stopRequest !== undefined) return { end: 'stopped', text: this.#stopRequest };
    if (outcome.interrupted) {
      return { end: 'interrupted', text: 'Interrupted.', say: interruption };
    }
    const { failure, results, stopReason } = outcome;
    if (failure) return this.#afterFailure(failure, outcome);
    this.#brokenStreams = 0;

    if (stopReason === 'refusal') {
      const why = outcome.explanation ? `: ${outcome.explanation}` : '';
      const said = text.trim() === '' ? '' : ` It said: ${text.trim()}`;
      return {
        end: 'refused',
        text: `The model refused to go on${why}. Rephrase the request, or choose another model.${said}`,
      };
    }
    this.#malformedTurns =
      results.length > 0 && outcome.malformedCalls === results.length ? this.#malformedTurns + 1 : 0;
    if (this.#malformedTurns >= MAX_MALFORMED_TURNS) {
      const problem = `The model sent ${MAX_MALFORMED_TURNS} answers in a row whose calls could not be understood. Try another model.`;
      return { end: 'malformed_calls', text: problem };
    }
    if (stopReason === 'max_tokens') return this.#afterCutAnswer(outcome);
    this.#cutAnswers = 0;
    if (results.length > 0) {
      this.#emptyAnswers = 0;
      return {};
    }
    if (stopReason === 'context_overflow') return contextOverflow;
    this.#pauses = stopReason === 'pause_turn' ? this.#pauses + 1 : 0;
    if (this.#pauses > MAX_PAUSES) {
      const problem = `The model paused ${this.#pauses} times in a row without finishing its answer. Send the prompt again, or choose another model.`;
      return { end: 'pause_limit', text: problem };
    }
    if (this.#pauses > 0 && outcome.message) return {};
    this.#emptyAnswers = hasWords(outcome.text) ? 0 : this.#emptyAnswers + 1;
    if (this.#emptyAnswers > MAX_EMPTY_ANSWERS) {
      const count = this.#emptyAnswers;
      const sent = outcome.message ? `${count} answers in a row without any text` : `${count} empty answers in a row`;
      const problem = `The model sent ${sent}, so it is not known whether the work is done. Ask it to go on, or choose another model.`;
      return { end: 'empty_answer', text: problem };
    }
    if (this.#emptyAnswers > 0) {
      const what = outcome.message ? 'Your answer had no text' : 'Your answer was empty';
      return { say: `[${what}. Go on with the task, or say in a sentence that it is done.]` };
    }
    return { end: 'completed', text };
  }

  result(outcome: RunOutcome, text: string): AgentHappening {
    return {
      type: 'result',
      outcome,
      text,
      ...(outcome === 'model_error' && this.#failure && { failure: factsOf(this.#failure) }),
      turns: this.#turns,
      stopReason: this.#stopReason,
      usage: this.#used.usage,
      costUsd: sum(this.#used.costUsd, this.#childrenCostUsd),
      models: this.#usedInSession.list(),
      modelMs: this.#modelMs,
      totalMs: monotonicMs() - this.#started,
      denials: this.#denials,
    };
  }

  #count(usage: Usage): void {
    this.#used.add(this.#answering, usage);
    this.#usedInSession.add(this.#answering, usage);
  }

  #named(provider: string, name: string): CountedModel {
    const known = [this.#model, ...(this.#model.fallbacks ?? [])];
    return known.find((model) => model.provider === provider && model.name === name) ?? { provider, name };
  }

  /** Continues from the complete blocks instead of retrying, so that no call runs twice. */
  #afterFailure(failure: ModelFailure, outcome: TurnOutcome): NextStep {
    this.#brokenStreams += 1;
    if (failure.kind === 'budget') return { end: 'budget', text: failure.message };
    if (failure.kind === 'context_overflow') return contextOverflow;
    // A request that failed after all retries ends the run, even if the last attempt left an incomplete answer.
    const isHopeless = failure.transient === false || this.#brokenStreams > MAX_BROKEN_STREAMS;
    if (!outcome.message || isHopeless) {
      this.#failure = failure;
      return { end: 'model_error', text: failure.message };
    }
    if (outcome.results.length > 0) return { continues: failure };
    return {
      say: '[The connection broke while you were answering. Go on exactly where you stopped.]',
      continues: failure,
    };
  }

  #afterCutAnswer({ results }: TurnOutcome): NextStep {
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

/** Whether the text has visible characters. Thinking is not part of the text. */
const hasWords = (text: string): boolean => /[^\s\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);

const isAnything = (usage: Usage): boolean => Object.values(usage).some((count) => count !== 0);

const factsOf = ({ kind, problem, about }: ModelFailure) => ({ kind, problem, ...(about && { about }) });

const contextOverflow: NextStep = {
  end: 'context_overflow',
  text: "The conversation no longer fits the model's context window. Start a new session, or choose a model with a larger one.",
};
