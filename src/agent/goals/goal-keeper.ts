// The goal of a conversation: what it is, how it is checked, and whether the work on it makes progress.
import type { Goal, GoalCheck } from '../../contract/goal.js';
import type { GoalState, StoredGoal } from './goal-state.js';
import { notMetWords, stalledWords } from './goal-words.js';
import type { Verdict } from './judge-goal.js';

/** Rounds in a row without a changed file and with the same outcome of the check, after which the work ends. */
const MAX_STALLED = 3;
const MAX_CHANGED = 20;
const MAX_EVIDENCE = 2_000; // characters: the end of a command's output

/** What a check command did. `isAllowed` is false if it was not permitted, and `output` says why. */
export interface CommandOutcome {
  isAllowed: boolean;
  exitCode: number | undefined;
  output: string;
}

export interface GoalParts {
  runCheck(command: string, signal: AbortSignal): Promise<CommandOutcome>;
  judge(goal: Goal, signal: AbortSignal): Promise<Verdict>;
  /** The paths of all files that the session has changed, one entry per change. */
  changes(): Promise<readonly string[]>;
}

/** What happens after a check. */
export type AfterCheck = { check: GoalCheck } & ({ next: 'end' } | { next: 'go on' | 'give up'; text: string });

export class GoalKeeper {
  readonly #state: GoalState;
  readonly #parts: GoalParts;
  /** The goal that these rounds are of. */
  #goal: StoredGoal | undefined;
  #round = 0;
  #stalled = 0;
  #lastEvidence: string | undefined;
  #changesBefore = 0;
  #isStarted = false;

  constructor(state: GoalState, parts: GoalParts) {
    this.#state = state;
    this.#parts = parts;
  }

  /** The goal that prompts work on now. */
  #active(): Goal | undefined {
    const goal = this.#state.active;
    if (goal === this.#goal) return goal;
    this.#goal = goal;
    this.#round = 0;
    this.#stalled = 0;
    this.#lastEvidence = undefined;
    this.#isStarted = false;
    return goal;
  }

  /**
   * Before the first request on a goal: runs its command once, so that its permission is asked for now and not in the
   * middle of the work. Returns why the work can't begin, if it can't.
   */
  async start(signal: AbortSignal): Promise<string | undefined> {
    const goal = this.#active();
    if (!goal || this.#isStarted) return undefined;
    if (goal.until !== undefined) {
      const { isAllowed, exitCode, output } = await this.#parts.runCheck(goal.until, signal);
      if (!isAllowed)
        return `The check of the goal may not run, so the work was not begun. ${output} A rule that allows \`${goal.until}\` lets it run, except in plan mode.`;
      if (exitCode === 126 || exitCode === 127)
        return `The check of the goal can't work, so the work was not begun: \`${goal.until}\` exited with ${exitCode}. ${output}`;
    }
    this.#changesBefore = (await this.#parts.changes()).length;
    this.#isStarted = true;
    return undefined;
  }

  /** The model wants to end: undefined if there is no goal. */
  async check(signal: AbortSignal): Promise<AfterCheck | undefined> {
    const goal = this.#active();
    if (!goal) return undefined;
    const { isMet, evidence } = await this.#ask(goal, signal);
    const paths = await this.#parts.changes();
    const changed = [...new Set(paths.slice(this.#changesBefore))].slice(0, MAX_CHANGED);
    this.#changesBefore = paths.length;
    this.#round += 1;
    const check: GoalCheck = {
      goal: { text: goal.text, ...(goal.until !== undefined && { until: goal.until }) },
      round: this.#round,
      isMet,
      evidence,
      changed,
    };
    if (isMet) {
      this.#state.set(undefined);
      return { check, next: 'end' };
    }
    const same = withoutNumbers(evidence);
    this.#stalled =
      changed.length === 0 && (goal.until === undefined || same === this.#lastEvidence) ? this.#stalled + 1 : 0;
    this.#lastEvidence = same;
    this.#state.last = check;
    if (this.#stalled < MAX_STALLED) return { check, next: 'go on', text: notMetWords(check) };
    this.#state.pause();
    this.#state.last = check;
    return { check, next: 'give up', text: stalledWords(check, MAX_STALLED) };
  }

  async #ask(goal: Goal, signal: AbortSignal): Promise<{ isMet: boolean; evidence: string }> {
    if (goal.until === undefined) {
      const { isMet, evidence, missing } = await this.#parts.judge(goal, signal);
      const quoted = evidence === '' ? '' : `"${evidence}"`;
      return { isMet, evidence: [missing, quoted].filter((part) => part !== '').join(' ') };
    }
    const { exitCode, output } = await this.#parts.runCheck(goal.until, signal);
    return { isMet: exitCode === 0, evidence: output.slice(-MAX_EVIDENCE) };
  }
}

/** Times and counts differ each time, and say nothing about progress. */
const withoutNumbers = (text: string): string => text.replaceAll(/\d+/g, '0');
