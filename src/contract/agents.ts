import type { WorktreeEnd, WorktreeOutcome } from './worktree.js';

/**
 * The child agents of a session: each has its own conversation, and never more permissions than its parent. Every
 * call of a child passes the gate, the rules and the log of the root session.
 */
export interface ChildAgents {
  /**
   * Whether such an agent may be started. Throws `ToolFailure` if it can't or may not be; returns a question if a
   * rule requires one. `tool` is the name by which rules know the call.
   */
  check(request: AgentRequest, tool: string): Promise<undefined | { ask: string }>;
  /**
   * Starts an agent, or resumes one. It ends when the signal aborts. Throws `ToolFailure` if it can't be started;
   * later errors are in its report.
   */
  start(request: AgentRequest, call: { callId: string; signal: AbortSignal }): Promise<StartedAgent>;
  /** An agent that this session has started, running or done. */
  find(id: string): StartedAgent | undefined;
  /** All of them, the latest last. */
  readonly all: readonly StartedAgent[];
}

/** A request for a child agent. */
export interface AgentRequest {
  /** Its task, in a few words for people. */
  description: string;
  prompt: string;
  type: string;
  /** A short name or the full name of a model. Default: that of the agent type, else that of the parent. */
  model?: string | undefined;
  /** The id of an agent to resume. */
  resume?: string | undefined;
  inBackground: boolean;
  /** `worktree`: it works in a git worktree of its own. Default: as the agent type says, else in the project. */
  isolation?: 'worktree' | undefined;
  /** How that worktree ends if it has changes. Default: as settings say, else it is kept. */
  worktreeEnd?: WorktreeEnd | undefined;
}

/** A child agent, running or done. */
export interface StartedAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** Whether the call that started it has returned before it is done. */
  readonly inBackground: boolean;
  /** Its current state and its steps so far. */
  readonly activity: AgentActivity;
  /** Stops it. Its report says that it was interrupted. */
  stop(): void;
  /** Once it is done. */
  readonly report: AgentReport | undefined;
  /** Its current activity, in lines for people, until it is done. Can be read once. */
  readonly progress: AsyncIterable<string>;
  /**
   * Resolves with the report when the agent and everything that it started has ended; or without one after this many
   * milliseconds. Rejects only when the signal aborts, which ends the waiting and not the agent.
   */
  wait(options?: { signal?: AbortSignal; milliseconds?: number }): Promise<AgentReport | undefined>;
}

/** What a child agent is doing. */
export interface AgentActivity {
  /** Whether one of its calls waits for the person's permission. */
  isAsking: boolean;
  /** The total of all its requests so far, as they were billed. */
  tokens: number;
  /** Since it was started. */
  milliseconds: number;
  /** Its calls and those of its own agents, in lines for people, the latest last; old ones are dropped. */
  steps: readonly string[];
}

/** The outcome of a child agent. */
export interface AgentReport {
  /** Its last message; empty if there is none. */
  answer: string;
  /** Why it stopped before it was done. Absent: it is done. */
  problem?: string;
  isInterrupted: boolean;
  model: string;
  turns: number;
  calls: number;
  /** The total of all its requests, as they were billed. */
  tokens: number;
  milliseconds: number;
  /** Notes for the parent, beside the answer. */
  notes: readonly string[];
  /** What became of its worktree, if it had one. */
  worktree?: { branch: string; folder: string } & WorktreeOutcome;
}
