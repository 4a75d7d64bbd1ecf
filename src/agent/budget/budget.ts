// The budget of one agent: all numbers, and the only place that counts them. Child agents, summaries and small tasks use
// models that are wrapped by `LateBudget.of`, so each request is checked before it is sent and counted after it.
import {
  type AgentBudget,
  type BudgetLimits,
  type BudgetScope,
  type BudgetUse,
  budgetUnits,
} from '../../contract/budget.js';
import type { AgentHappening } from '../../contract/event.js';
import { type Model, ModelFailure, type Usage } from '../../contract/model.js';
import { monotonicMs } from '../../platform/clock.js';
import { messageOf } from '../../platform/message-of.js';
import { costOf, tokensOf } from '../usage.js';
import { nearlyUsedUp, unknownPrices, usedUp } from './budget-words.js';
import type { DaySpending } from './day-spending.js';
import type { SpendingFile, SpendingLine } from './spending-file.js';
import { addSpent, type CommandBudget, nothingSpent, type Spent } from './spent.js';

/** The share of a limit after which the model and the person know of it. */
const NEAR = 0.8;
const LEAST_MS = 1000; // of a run, to be worth a line of its own

const scopes: readonly BudgetScope[] = ['command', 'run', 'session', 'day'];

/** The limits of one scope. `fixed` ones can't be raised by the person. */
export interface ScopeLimits {
  limits: BudgetLimits;
  fixed?: BudgetLimits | undefined;
}

export interface BudgetParts {
  sessionId: string;
  /** The limits at this moment: settings may change. */
  limits(scope: BudgetScope): ScopeLimits;
  /** What the session had used before it was resumed, if its file does not say so. */
  before?: Spent | undefined;
  /** The file of the session; absent if the session is not kept. */
  file?: SpendingFile | undefined;
  /** Absent if no flag sets one. */
  command?: CommandBudget | undefined;
  /** Absent if nothing is written: then a day begins with this agent. */
  day?: DaySpending | undefined;
}

/** A time limit of a run. */
export interface BudgetTimeLimit {
  ms: number;
  /** The result's text. */
  text: string;
}

export class Budget implements AgentBudget {
  readonly #parts: BudgetParts;
  #run = nothingSpent;
  #sessionInMemory: Spent;
  readonly #more = new Map<string, number>();
  readonly #told = new Set<string>();
  /** Happenings that no run has emitted yet. */
  #untold: AgentHappening[] = [];
  #emit: ((happening: AgentHappening) => void) | undefined;
  /** When the time of the present run was last counted; undefined while none runs. */
  #countedAt: number | undefined;
  readonly #unpriced = new Set<string>();
  #ownDay = nothingSpent;
  #runNumber = 0;
  /** Requests per prompt; see `boundTurns`. */
  #unbounded: number | undefined;

  constructor(parts: BudgetParts) {
    this.#parts = parts;
    this.#sessionInMemory = parts.before ?? nothingSpent;
  }

  /** A run begins. Its time counts until `endRun`. */
  beginRun(at = monotonicMs()): void {
    this.#run = nothingSpent;
    this.#runNumber += 1;
    this.#countedAt = at;
  }

  endRun(at = monotonicMs()): void {
    const ms = this.#takeTime(at);
    this.#count({ ...nothingSpent, minutes: ms / 60_000 });
    if (ms >= LEAST_MS || this.#hasLimit('minutes')) this.#write({ ms });
    this.#countedAt = undefined;
    this.#run = nothingSpent;
  }

  /** Where notices and events go; undefined between runs. */
  listen(emit: ((happening: AgentHappening) => void) | undefined): void {
    this.#emit = emit;
    if (!emit) return;
    for (const happening of this.#untold) emit(happening);
    this.#untold = [];
  }

  /** Says something to the person, now or with the next run. */
  notify(text: string): void {
    this.#tell({ type: 'notice', text });
  }

  /** Without those whose file can't be read. */
  uses(): BudgetUse[] {
    return scopes.flatMap((scope) => {
      const uses = this.#safely(() => this.#usesOf(scope));
      return typeof uses === 'string' ? [] : uses;
    });
  }

  /** The uses that are near their limit. */
  near(): BudgetUse[] {
    return this.uses().filter(({ spent, limit }) => spent >= limit * NEAR && spent < limit);
  }

  /** The run or the day that the use is of: what was said of one is said again of the next. */
  periodOf({ scope }: Pick<BudgetUse, 'scope'>): string {
    if (scope === 'run') return ` of run ${this.#runNumber}`;
    return scope === 'day' ? ` of ${this.#parts.day?.day}` : '';
  }

  /** Why no request may be sent; undefined if one may. */
  refusal(): string | undefined {
    const use = this.#safely(() => this.#allUses().find(({ spent, limit }) => spent >= limit));
    if (typeof use === 'string') return use;
    if (!use) return undefined;
    this.#announce(use, 'reached');
    return usedUp(use);
  }

  /** Before a request. Throws if the budget does not allow it. */
  check(model: Model): void {
    const refusal = this.refusal();
    if (refusal !== undefined) throw new ModelFailure('budget', refusal, { transient: false });
    this.#checkPrices(model);
  }

  /** After a request, or after a try of it that failed: then `turns` is 0. */
  spend(
    model: Pick<Model, 'provider' | 'name' | 'facts'>,
    usage: Usage,
    { turns = 1, at = monotonicMs() }: { turns?: 0 | 1; at?: number } = {},
  ): void {
    const prices = model.facts?.prices;
    const usd = prices ? costOf(usage, prices) : null;
    const ms = this.#takeTime(at);
    const tokens = tokensOf(usage);
    this.#count({ usd: usd ?? 0, tokens, turns, minutes: ms / 60_000 });
    this.#write({ model: `${model.provider}/${model.name}`, usd, tokens, turns, ms });
    for (const use of this.near()) this.#announce(use, 'near');
  }

  /** The earliest of the time limits of a run that begins now. */
  timeLimit(): BudgetTimeLimit | undefined {
    const [first] = this.uses()
      .filter(({ unit }) => unit === 'minutes')
      .toSorted((one, other) => one.limit - one.spent - (other.limit - other.spent));
    if (!first) return undefined;
    const ms = Math.ceil(Math.max(0, first.limit - first.spent) * 60_000);
    return { ms, text: usedUp({ ...first, spent: Math.max(first.spent, first.limit) }) };
  }

  /** Raises limits that exist, by these amounts. Limits of managed settings stay as they are. */
  allowMore(more: Partial<Record<BudgetScope, BudgetLimits>>): void {
    for (const scope of scopes) {
      for (const unit of budgetUnits) {
        const amount = more[scope]?.[unit];
        if (amount === undefined || !(amount > 0)) continue;
        const key = `${scope}.${unit}`;
        this.#more.set(key, (this.#more.get(key) ?? 0) + amount);
        const period = this.periodOf({ scope });
        for (const state of ['near', 'reached']) this.#told.delete(`${state} ${key}${period}`);
      }
    }
  }

  /** Whether the person may raise this limit. */
  mayRaise({ scope, unit, limit }: BudgetUse): boolean {
    const fixed = this.#parts.limits(scope).fixed?.[unit];
    return fixed === undefined || limit < fixed;
  }

  /** Limits the requests of each prompt if there is no other limit; undefined for not any more. */
  boundTurns(turns: number | undefined): void {
    this.#unbounded = undefined;
    if (turns !== undefined && this.uses().length === 0) this.#unbounded = turns;
  }

  #allUses(): BudgetUse[] {
    return scopes.flatMap((scope) => this.#usesOf(scope));
  }

  /** Throws if the file of the scope can't be read. */
  #usesOf(scope: BudgetScope): BudgetUse[] {
    const limits = this.#limits(scope);
    const units = budgetUnits.filter((unit) => limits[unit] !== undefined);
    if (units.length === 0) return [];
    const spent = this.#spent(scope);
    return units.map((unit) => ({ scope, unit, limit: limits[unit] ?? 0, spent: spent[unit] }));
  }

  #limits(scope: BudgetScope): BudgetLimits {
    const { limits, fixed } = this.#parts.limits(scope);
    const raised: BudgetLimits = {};
    for (const unit of budgetUnits) {
      const limit = limits[unit];
      if (limit === undefined) continue;
      const more = limit + (this.#more.get(`${scope}.${unit}`) ?? 0);
      raised[unit] = Math.min(more, fixed?.[unit] ?? Number.POSITIVE_INFINITY);
    }
    if (scope === 'run' && this.#unbounded !== undefined) raised.turns ??= this.#unbounded;
    return raised;
  }

  #hasLimit(unit: (typeof budgetUnits)[number]): boolean {
    return scopes.some((scope) => this.#limits(scope)[unit] !== undefined);
  }

  #spent(scope: BudgetScope): Spent {
    const now = this.#countedAt === undefined ? 0 : (monotonicMs() - this.#countedAt) / 60_000;
    const running: Spent = { ...nothingSpent, minutes: now };
    switch (scope) {
      case 'command':
        return addSpent(this.#parts.command?.spent ?? nothingSpent, running);
      case 'run':
        return addSpent(this.#run, running);
      case 'session':
        return addSpent(this.#ofSession(), running);
      case 'day':
        return addSpent(this.#parts.day?.total() ?? this.#ownDay, running);
    }
  }

  #ofSession(): Spent {
    const { file, before } = this.#parts;
    if (!file) return this.#sessionInMemory;
    const total = file.total();
    return before ? addSpent(before, total) : total;
  }

  #count(spent: Spent): void {
    const { command } = this.#parts;
    if (command) command.spent = addSpent(command.spent, spent);
    this.#sessionInMemory = addSpent(this.#sessionInMemory, spent);
    this.#ownDay = addSpent(this.#ownDay, spent);
    if (this.#countedAt !== undefined) this.#run = addSpent(this.#run, spent);
  }

  /** The time of the run since this was last called. */
  #takeTime(now = monotonicMs()): number {
    if (this.#countedAt === undefined) return 0;
    const ms = now - this.#countedAt;
    this.#countedAt = now;
    return Math.round(ms);
  }

  #write(facts: Omit<SpendingLine, 'at' | 'session'>): void {
    const { file, day, sessionId } = this.#parts;
    const line: SpendingLine = { at: new Date().toISOString(), session: sessionId, ...facts };
    file?.append(line); // what can't be written is counted, and written with the next line
    const failure = day?.append(line);
    if (failure === undefined || this.#told.has('unwritable')) return;
    this.#told.add('unwritable');
    if (Object.keys(this.#limits('day')).length === 0) return; // the session's own problems are reported elsewhere
    this.notify(
      `What this session uses could not be written for the budget of the day: ${messageOf(failure)}. It counts here, and other processes do not know of it until it can be written.`,
    );
  }

  #checkPrices(model: Model): void {
    const limits = scopes.flatMap((scope) => this.#limits(scope).usd ?? []);
    if (limits.length === 0) return;
    for (const { provider, name, facts } of [model, ...(model.fallbacks ?? [])]) {
      const key = `${provider}/${name}`;
      if (facts?.prices || this.#unpriced.has(key)) continue;
      this.#unpriced.add(key);
      this.notify(unknownPrices(key, Math.min(...limits)));
    }
  }

  #announce(use: BudgetUse, state: 'near' | 'reached'): void {
    const name = `${state} ${use.scope}.${use.unit}${this.periodOf(use)}`;
    if (this.#told.has(name)) return;
    this.#told.add(name);
    this.#tell({ type: 'budget', state, ...use });
    if (state === 'near') this.notify(nearlyUsedUp(use)); // the end of the run says the rest
  }

  #tell(happening: AgentHappening): void {
    if (this.#emit) this.#emit(happening);
    else this.#untold.push(happening);
  }

  /** The value, or a sentence why what was spent can't be known: then nothing more is spent. */
  #safely<Value>(read: () => Value): Value | string {
    try {
      return read();
    } catch (error) {
      return `The budget can't be checked, so the work ends here: ${messageOf(error)}. Make the file readable, or remove it.`;
    }
  }
}
