import type { CompactionRefused, ContextOptions, ContextUsage } from '../../contract/context.js';
import type { AgentHappening, CompactionEvent, RunOutcome } from '../../contract/event.js';
import type { Hooks } from '../../contract/hook.js';
import type { ToolResultBlock, UserBlock } from '../../contract/message.js';
import type { Model, ModelRequest } from '../../contract/model.js';
import { grouped } from '../../platform/text/digits.js';
import type { NextStep } from '../run-record.js';
import type { Session } from '../session.js';
import type { TurnOutcome } from '../turn.js';
import { noUsage } from '../usage.js';
import { ContextLimits } from './context-limits.js';
import { type ContextParts, ContextSize } from './context-size.js';

const MAX_IN_A_ROW = 3; // compactions with at most one answer between them
const RESULTS_SHARE = 0.3; // of the room for the conversation, for the results of one turn
const KEPT_RESULTS_SHARE = 0.25; // of the same, for the latest results when older ones are cleared
const WORTH_CLEARING = 0.6; // the share that may be used after clearing; above it, clearing gains too little for losing the prompt cache

/** Records changes of the history on disk. */
export interface HistoryKeeper {
  compacted(summary: readonly UserBlock[], kept: number): void;
  cleared(results: ReadonlyMap<string, string>): void;
  forgot(files: readonly string[]): void;
}

export interface ConversationContextOptions extends ContextOptions {
  session: Session;
  model: Model;
  system: readonly string[];
  /** Records changes of the history. */
  keeper?: HistoryKeeper | undefined;
}

/** The hooks, the event sink and the signal that are used while room is made. */
export interface MakingRoom {
  hooks: Hooks;
  emit(happening: AgentHappening): void;
  signal: AbortSignal;
}

const REFUSED = 'The provider refused the request as too long. Helve compacts the conversation and sends it again.';

/** Keeps a conversation within the model's context window. */
export class ConversationContext {
  readonly #options: ConversationContextOptions;
  readonly #size = new ContextSize();
  readonly #limits: ContextLimits;
  /** Whether the provider reported that the window is full, regardless of the estimate. */
  #isFull = false;
  /** The provider refused a request as too long, and the person was not told yet. */
  #isRefused = false;
  /** The last refusal did not fit the known window. */
  #isOdd = false;
  #answersSince = Number.POSITIVE_INFINITY;
  #inARow = 0;

  constructor(options: ConversationContextOptions) {
    this.#options = options;
    this.#limits = new ContextLimits(options.model, options);
  }

  /** The system prompt of every request. */
  get system(): readonly string[] {
    return this.#options.system;
  }

  usage(): ContextUsage {
    const parts = this.#measure();
    const { limit, window } = this.#limits;
    return { ...parts, total: totalOf(parts), window, free: Math.max(0, limit - totalOf(parts)) };
  }

  /** Makes room for the next request if necessary. Returns the reason to end the run if that is not possible. */
  async makeRoom(making: MakingRoom): Promise<{ end: RunOutcome; text: string } | undefined> {
    const { threshold } = this.#limits;
    if (threshold === undefined || (!this.#isFull && totalOf(this.#measure()) <= threshold)) return undefined;
    if (!this.#isFull && (await this.#clear(threshold, making))) return undefined;
    if (!(await this.#canShrink())) return this.#isFull ? this.#hopeless() : undefined;
    this.#inARow = this.#answersSince > 1 ? 1 : this.#inARow + 1;
    if (this.#inARow > MAX_IN_A_ROW) return this.#hopeless();
    if (this.#isRefused) making.emit({ type: 'notice', text: REFUSED });
    this.#isRefused = false;
    try {
      const done = await this.#compact({ ...making, trigger: 'auto', keepLatest: this.#inARow === 1 });
      if (done.type === 'refused') return { end: 'stopped', text: `A hook stopped the work: ${done.why}` };
    } catch (error) {
      if (making.signal.aborted) return { end: 'interrupted', text: 'Interrupted.' };
      throw error;
    }
    return undefined;
  }

  /** Updates the estimates with the real size of a request. */
  answered(request: ModelRequest, { usage, failure, stopReason }: TurnOutcome): void {
    const isRefused = failure?.kind === 'context_overflow';
    if (!isRefused) this.#size.calibrate(request, usage);
    const parts = this.#size.measure(request);
    if (isRefused) this.#isOdd = !this.#limits.refused(totalOf(parts), parts.system + parts.tools);
    else if (!failure) this.#limits.answered(totalOf(parts));
    this.#isRefused = isRefused;
    this.#isFull ||= isRefused || stopReason === 'context_overflow';
    if (!failure) this.#answersSince += 1;
  }

  /** The next step after a turn that filled the window: room is made, and the run continues. */
  afterOverflow(next: NextStep, { message, results }: TurnOutcome): NextStep {
    if (this.#limits.threshold === undefined) return next;
    if (!message || results.length > 0) return {};
    return { say: '[Your answer reached the end of the context window. Go on exactly where it stopped.]' };
  }

  /** The results of a turn; those that are too long for the window are saved and shortened. */
  async fitResults(results: readonly ToolResultBlock[]): Promise<readonly ToolResultBlock[]> {
    const { session } = this.#options;
    const budget = this.#room() * RESULTS_SHARE;
    if (results.reduce((sum, result) => sum + this.#size.ofBlock(result), 0) <= budget) return results;
    const { fitResults } = await import('./fit-results.js');
    const resultFile = (name: string): Promise<string> => session.resultFile(name);
    const fitted = await fitResults(results, {
      size: this.#size,
      budget,
      resultsFolder: session.resultsFolder,
      resultFile,
    });
    const cut = results.filter((result, index) => result !== fitted[index]).map(({ tool_use_id: id }) => id);
    const { forgetShown } = await import('./forget-shown.js');
    forgetShown(cut, [...session.transcript.forRequest(), { role: 'user', content: fitted }], this.#options);
    return fitted;
  }

  /** Compacts on request of the person. */
  async compact(making: MakingRoom, instructions?: string): Promise<CompactionEvent | CompactionRefused> {
    if (!(await this.#canShrink())) return { type: 'refused', why: 'There is nothing to summarise yet.', stop: false };
    return await this.#compact({ ...making, instructions, trigger: 'manual', keepLatest: true });
  }

  async #compact(
    how: MakingRoom & { trigger: CompactionEvent['trigger']; instructions?: string | undefined; keepLatest: boolean },
  ): Promise<CompactionEvent | CompactionRefused> {
    const { compact } = await import('./compact.js');
    const done = await compact({ ...this.#options, ...how, size: this.#size, limits: this.#limits });
    if (done.type === 'compaction') {
      this.#isFull = false;
      this.#answersSince = 0;
    }
    return done;
  }

  /** Clears old results if that frees enough room. */
  async #clear(threshold: number, { emit }: MakingRoom): Promise<boolean> {
    const { session, keeper } = this.#options;
    const { planClearing, withCleared } = await import('./clear-results.js');
    const parts = this.#measure();
    const fixed = parts.system + parts.tools;
    const messages = session.transcript.forRequest();
    const keep = this.#room() * KEPT_RESULTS_SHARE;
    const plan = planClearing(messages, { size: this.#size, keep, resultsFolder: session.resultsFolder });
    const before = totalOf(parts);
    if (before - plan.freed > fixed + (threshold - fixed) * WORTH_CLEARING) return false;
    const { forgetShown } = await import('./forget-shown.js');
    session.transcript.replace(withCleared(messages, plan.cleared));
    this.#size.recount();
    forgetShown([...plan.cleared.keys()], session.transcript.forRequest(), this.#options);
    keeper?.cleared(plan.cleared);
    emit({
      type: 'compaction',
      trigger: 'auto',
      tokensBefore: before,
      tokensAfter: totalOf(this.#measure()),
      clearedResults: plan.cleared.size,
      summarisedMessages: 0,
      usage: noUsage,
    });
    return true;
  }

  /** Whether there is an answer to summarise, or a prompt that is too long. A prompt that just fits is sent unchanged. */
  async #canShrink(): Promise<boolean> {
    const messages = this.#options.session.transcript.forRequest();
    if (messages.some(({ role }) => role === 'assistant')) return true;
    if (!this.#isFull && totalOf(this.#measure()) <= this.#limits.limit) return false;
    const { PROMPT_SHARE } = await import('./compact.js');
    const tokens = messages.reduce((sum, message) => sum + this.#size.ofMessage(message), 0);
    return tokens > this.#room() * PROMPT_SHARE;
  }

  /** The run ends here. The next prompt tries again: a provider may refuse a request by mistake. */
  #hopeless(): { end: RunOutcome; text: string } {
    const text = this.#isOdd ? this.#oddText() : this.#fullText();
    this.#limits.reset();
    this.#isFull = false;
    this.#inARow = 0;
    return { end: 'context_overflow', text };
  }

  #oddText(): string {
    const tokens = grouped(totalOf(this.#measure()));
    return `The provider refused the request as too long, although it has about ${tokens} tokens and the window ${grouped(this.#limits.window)}. The next prompt tries again. If the provider has a lower limit, set HELVE_CONTEXT_TOKENS to it.`;
  }

  #fullText(): string {
    const { system, tools } = this.#measure();
    const times = this.#inARow > MAX_IN_A_ROW ? ` right after it was compacted, ${MAX_IN_A_ROW} times in a row` : '';
    return (
      `The context window is full${times}, so the run ends here. A request may have about ${grouped(this.#limits.limit)} tokens, ` +
      `and the system prompt and the tools alone have ${grouped(system + tools)}. Choose a model with a larger window, or work in smaller steps.`
    );
  }

  #measure(): ContextParts {
    const { session, system } = this.#options;
    const [tools, messages] = [session.tools.definitions(), session.transcript.forRequest()];
    return this.#size.measure({ system, tools, messages });
  }

  #room(): number {
    const { system, tools } = this.#measure();
    return this.#limits.room(system + tools);
  }
}

const totalOf = ({ system, tools, messages, results }: ContextParts): number => system + tools + messages + results;
