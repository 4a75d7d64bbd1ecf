import type { PermissionMode } from './permission.js';

/** The plan state of a session. Tools change the mode only here, and never beyond what a person has agreed to. */
export interface PlanningPort {
  readonly mode: PermissionMode;
  /** The mode to restore when plan mode ends. */
  readonly modeAfter: PermissionMode;
  /** The last plan that was presented to the person, whatever they answered. */
  readonly plan: string | undefined;
  /** From now on nothing may be changed. Tightening needs no approval. */
  enter(): void;
  /** Saves the plan with the session. Returns its file, if there is one. */
  keep(plan: string): Promise<string | undefined>;
  /**
   * Restores the previous mode, or keeps one that the person has chosen meanwhile. Throws unless a person, or a hook
   * on their behalf, has approved the call with this id. Returns the mode that applies.
   */
  leave(callId: string): PermissionMode;
  /** The steps of a plan, in its order. */
  steps(plan: string): Promise<PlanSteps>;
}

/** A plan as steps. */
export interface PlanSteps {
  steps: readonly PlanStep[];
  /** Why they can't be run, if so: there are none, or they wait for each other. */
  problem?: string;
}

/** One step of a plan, as a task for an agent. */
export interface PlanStep {
  /** Its number in the plan, or its position: `1`, `2`. */
  id: string;
  title: string;
  /** The plan's text for it beside the title. */
  details: string;
  /** The ids of the steps that must be done first. */
  dependsOn: readonly string[];
  /** The files that the plan names for it. */
  files?: readonly string[];
}

/** Runs the steps of an approved plan with child agents. */
export interface SwarmPort {
  /** Like `check` of `ChildAgents`, for the agents that it would start on behalf of a call of this tool. */
  check(tool: string): Promise<undefined | { ask: string }>;
  /**
   * Resolves when every step has ended, or can't begin. Rejects when the signal aborts; everything that it started
   * ends with it.
   */
  run(plan: ApprovedPlan, teammateCount: number, options: SwarmOptions): Promise<SwarmReport>;
}

/** A plan that the person has approved. */
export interface ApprovedPlan {
  text: string;
  steps: readonly PlanStep[];
}

/** The options of a swarm. */
export interface SwarmOptions {
  signal: AbortSignal;
  /** The call that the children belong to. */
  callId: string;
  /** `worktree`: each step works in a git worktree of its own, which is merged before the steps that depend on it. */
  isolation?: 'worktree' | undefined;
  /** Progress for the person. */
  onProgress(text: string): void;
}

/** The outcome of a plan. */
export interface SwarmReport {
  steps: ReadonlyArray<{
    id: string;
    outcome: 'done' | 'failed' | 'not_started';
    /** The child's report, or why there is none. */
    report: string;
  }>;
}
