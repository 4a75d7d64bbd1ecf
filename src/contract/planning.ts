import type { PermissionMode } from './permission.js';

/** What a session knows of its plan. The mode is changed here and nowhere else by tools, and never beyond what a person agreed to. */
export interface PlanningPort {
  readonly mode: PermissionMode;
  /** The mode that leaving plan mode leads back to. */
  readonly modeAfter: PermissionMode;
  /** The plan that was put to the person last, whatever they said to it. */
  readonly plan: string | undefined;
  /** From now on nothing may be changed. Tightening needs nobody's approval. */
  enter(): void;
  /** Keeps the plan with the session. Gives the file that it is in, where there is one. */
  keep(plan: string): Promise<string | undefined>;
  /**
   * Goes back to the mode from before, or stays in one that the person has chosen meanwhile. Throws unless a person, or a
   * hook in their place, has agreed to the call of this id. Gives the mode that holds.
   */
  leave(callId: string): PermissionMode;
  /** The steps of a plan, in its order. */
  steps(plan: string): Promise<PlanSteps>;
}

/** A plan as steps. */
export interface PlanSteps {
  steps: readonly PlanStep[];
  /** Why they can't be run, where that is so: there are none, or they wait for each other. */
  problem?: string;
}

/** One step of a plan, as something that an agent can be given. */
export interface PlanStep {
  /** The number in the plan, or its place: `1`, `2`. */
  id: string;
  title: string;
  /** What the plan says on it beside the title. */
  details: string;
  /** The ids of the steps that must be done first. */
  dependsOn: readonly string[];
  /** The files that the plan names for it. */
  files?: readonly string[];
}

/** Runs the steps of an approved plan by child agents. */
export interface SwarmPort {
  /** As `check` of `ChildAgents`, for the agents that it would start on behalf of a call of this tool. */
  check(tool: string): Promise<undefined | { ask: string }>;
  /** Resolves when every step has ended, or can't begin. Rejects when the signal aborts; what it started ends with it. */
  run(plan: ApprovedPlan, teammateCount: number, options: SwarmOptions): Promise<SwarmReport>;
}

/** A plan that the person has agreed to. */
export interface ApprovedPlan {
  text: string;
  steps: readonly PlanStep[];
}

/** What a swarm is told. */
export interface SwarmOptions {
  signal: AbortSignal;
  /** The call that the children belong to. */
  callId: string;
  /** A sign of life for the person. */
  onProgress(text: string): void;
}

/** What became of a plan. */
export interface SwarmReport {
  steps: ReadonlyArray<{
    id: string;
    outcome: 'done' | 'failed' | 'not_started';
    /** What the child reported, or why there is nothing. */
    report: string;
  }>;
}
