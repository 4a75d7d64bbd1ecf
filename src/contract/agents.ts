/**
 * Child agents of a session: each has a conversation of its own, and rights that are never wider than those of whoever
 * started it. What a child does passes the gate, the rules and the log of the root session call by call.
 */
export interface ChildAgents {
  /**
   * Whether such an agent may be started. Throws `ToolFailure` where it can't or may not be; gives a question where a
   * rule wants one. `tool` is the name by which rules know the call.
   */
  check(request: AgentRequest, tool: string): Promise<undefined | { ask: string }>;
  /**
   * Starts an agent, or takes one up again. It ends when the signal aborts. Throws `ToolFailure` where it can't be
   * started; from then on what goes wrong is in its report.
   */
  start(request: AgentRequest, call: { callId: string; signal: AbortSignal }): Promise<StartedAgent>;
  /** An agent that this session has started, at work or done. */
  find(id: string): StartedAgent | undefined;
  /** All of them, the latest last. */
  readonly all: readonly StartedAgent[];
}

/** A child agent that is wanted. */
export interface AgentRequest {
  /** What it is to do, in a few words for people. */
  description: string;
  prompt: string;
  type: string;
  /** A short name or the full name of a model. Left out: as the type says, else that of whoever asks. */
  model?: string | undefined;
  /** The id of an agent that goes on where it stopped. */
  resume?: string | undefined;
  inBackground: boolean;
}

/** A child agent, at work or done. */
export interface StartedAgent {
  readonly id: string;
  readonly type: string;
  readonly description: string;
  /** Once it is done. */
  readonly report: AgentReport | undefined;
  /** What it is doing, in lines for people, until it is done. To be read once. */
  readonly progress: AsyncIterable<string>;
  /**
   * Settles when the agent and all that it had started has ended, with its report; or after so many milliseconds, without.
   * Rejects only when the signal aborts, which ends the waiting and not the agent.
   */
  wait(options?: { signal?: AbortSignal; milliseconds?: number }): Promise<AgentReport | undefined>;
}

/** What became of a child agent. */
export interface AgentReport {
  /** Its last words; empty where it said nothing. */
  answer: string;
  /** Why it stopped before it was done. Absent: it is done. */
  problem?: string;
  isInterrupted: boolean;
  model: string;
  turns: number;
  calls: number;
  /** Of all its requests together, as they were billed. */
  tokens: number;
  milliseconds: number;
  /** What whoever asked should know beside the answer. */
  notes: readonly string[];
}
