import type { ChildAgents } from '../../contract/agents.js';
import type { ApprovedPlan, PlanStep, SwarmOptions, SwarmPort, SwarmReport } from '../../contract/planning.js';
import type { Todo } from '../../contract/todo.js';
import { messageOf } from '../../platform/message-of.js';
import { clause } from '../../platform/text/clause.js';
import { safeCut } from '../../platform/text/truncate.js';

const TYPE = 'general-purpose';
const MAX_REPORT_CHARS = 4_000; // in prompts of dependent steps, and in the result for the model that made the plan

interface SwarmSurroundings {
  agents: ChildAgents;
  /** Called with the state of the steps. */
  setTodos(todos: readonly Todo[]): void;
}

/** Runs the steps of a plan with child agents: each step runs once, in the first free slot after it can start. */
export const createSwarm = (surroundings: SwarmSurroundings): SwarmPort => ({
  check: (tool) =>
    surroundings.agents.check({ description: 'a step of the plan', prompt: '', type: TYPE, inBackground: false }, tool),
  run: (plan, teammateCount, options) => new Swarm(plan, surroundings, options).run(teammateCount),
});

type Outcome = SwarmReport['steps'][number];

class Swarm {
  readonly #plan: ApprovedPlan;
  readonly #surroundings: SwarmSurroundings;
  readonly #options: SwarmOptions;
  readonly #waiting: Set<PlanStep>;
  readonly #atWork = new Map<PlanStep, Promise<void>>();
  readonly #outcomes = new Map<string, Outcome>();

  constructor(plan: ApprovedPlan, surroundings: SwarmSurroundings, options: SwarmOptions) {
    this.#plan = plan;
    this.#surroundings = surroundings;
    this.#options = options;
    this.#waiting = new Set(plan.steps);
  }

  async run(teammateCount: number): Promise<SwarmReport> {
    const { signal } = this.#options;
    this.#show();
    for (;;) {
      while (!signal.aborted && this.#atWork.size < teammateCount && this.#takeNext());
      if (this.#atWork.size === 0) break;
      await Promise.race(this.#atWork.values());
    }
    signal.throwIfAborted(); // all started agents have ended here
    return { steps: this.#plan.steps.map(({ id }) => this.#outcomes.get(id) ?? notStarted(id, 'It was not reached.')) };
  }

  /** Starts the first step that can start. Steps that depend on a failed one are never started. */
  #takeNext(): boolean {
    for (const step of this.#waiting) {
      const before = step.dependsOn.map((id) => this.#outcomes.get(id));
      const missing = before.find((outcome) => outcome && outcome.outcome !== 'done');
      if (missing) {
        this.#waiting.delete(step);
        this.#end(notStarted(step.id, `It builds on step ${missing.id}, which was not done.`));
        return true;
      }
      if (before.some((outcome) => outcome === undefined)) continue;
      this.#waiting.delete(step);
      this.#begin(step);
      return true;
    }
    return false;
  }

  #begin(step: PlanStep): void {
    const work = this.#work(step).then((outcome) => {
      this.#atWork.delete(step);
      this.#end(outcome);
    });
    this.#atWork.set(step, work);
    this.#options.onProgress(`step ${step.id} begins: ${step.title}`);
    this.#show();
  }

  async #work(step: PlanStep): Promise<Outcome> {
    const { callId, signal, isolation } = this.#options;
    try {
      const { agents } = this.#surroundings;
      const request = {
        description: `step ${step.id}: ${step.title}`,
        prompt: this.#promptFor(step),
        type: TYPE,
        inBackground: false,
        ...(isolation && { isolation, worktreeEnd: 'merge' as const }),
      };
      await agents.check(request, 'The step'); // a rule may have been added since the plan was approved; questions were asked then
      const agent = await agents.start(request, { callId, signal });
      for await (const line of agent.progress) this.#options.onProgress(`step ${step.id}: ${line}`);
      const { answer = '', problem, worktree, notes = [] } = (await agent.wait()) ?? {};
      const ofWorktree = isolation ? notes.map((note) => `\n[${note}]`).join('') : '';
      const report = `${shortened(answer) || 'It said nothing.'}${ofWorktree}`;
      if (worktree?.whyNotMerged !== undefined) {
        return { id: step.id, outcome: 'failed', report: `Its changes are not in the project. ${report}` };
      }
      if (problem === undefined) return { id: step.id, outcome: 'done', report };
      return {
        id: step.id,
        outcome: 'failed',
        report: `${clause(problem)}. What it had changed by then stays. ${report}`,
      };
    } catch (error) {
      return { id: step.id, outcome: 'failed', report: messageOf(error) };
    }
  }

  #end(outcome: Outcome): void {
    this.#outcomes.set(outcome.id, outcome);
    this.#options.onProgress(
      `step ${outcome.id}: ${outcome.outcome === 'not_started' ? 'cannot start' : outcome.outcome}`,
    );
    this.#show();
  }

  #promptFor({ id, title, details, dependsOn, files = [] }: PlanStep): string {
    const done = dependsOn.map((other) => `Step ${other} is done. Its report: ${this.#outcomes.get(other)?.report}`);
    const others = [...this.#atWork.keys()].map((step) => `step ${step.id} (${step.title})`);
    return [
      `You do step ${id} of a plan that the user has agreed to: ${title}`,
      details,
      files.length > 0 ? `Files that the plan names for it: ${files.join(', ')}` : '',
      ...done,
      `Do this step and no other: other agents do the others${others.length > 0 ? `, at this moment ${others.join(', ')}` : ''}. A file may change while you work; read it again before you edit it. Keep what others have changed.`,
      'At the end say in a few sentences what you did, what you saw work, and what the steps after it must know.',
      `The whole plan, so that you know what your step is for:\n${this.#plan.text}`,
    ]
      .filter((part) => part !== '')
      .join('\n\n');
  }

  /** Updates the shared todo list. */
  #show(): void {
    const steps = this.#plan.steps.map(({ id, title }): Todo => {
      const { outcome } = this.#outcomes.get(id) ?? {};
      const isAtWork = [...this.#atWork.keys()].some((step) => step.id === id);
      const content =
        outcome && outcome !== 'done' ? `${title} (${outcome === 'failed' ? 'failed' : 'not begun'})` : title;
      const status = outcome === 'done' ? 'completed' : isAtWork ? 'in_progress' : 'pending';
      return { content, status, activeForm: title };
    });
    this.#surroundings.setTodos(steps);
  }
}

const notStarted = (id: string, report: string): Outcome => ({ id, outcome: 'not_started', report });

const shortened = (text: string): string =>
  text.length <= MAX_REPORT_CHARS
    ? text
    : `${text.slice(0, safeCut(text, MAX_REPORT_CHARS))} … (cut: ${text.length} characters)`;
