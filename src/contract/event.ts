import type { BudgetUse } from './budget.js';
import type { CallWait, WaitReason } from './call-timing.js';
import type { Effect } from './effect.js';
import type { FailureKind } from './failure.js';
import type { GoalCheck } from './goal.js';
import type { McpResult } from './mcp-serving.js';
import type { AssistantMessage, ToolResultBlock, UserMessage } from './message.js';
import type { FailureSubject, ModelFailureKind, RetryFacts, StopReason, TextCallFacts, Usage } from './model.js';
import type { Decision, PermissionMode } from './permission.js';
import type { ToolDisplay } from './tool.js';

/** An event of a conversation, in order. `at` is in milliseconds since the epoch, with fractions. */
export type AgentEvent = { at: number } & AgentHappening;

/** The comments here are the tables of docs/events.md. */
export type AgentHappening =
  /** A run begins. */
  | {
      type: 'session_start';
      sessionId: string;
      /** The directory that commands start in. */
      cwd: string;
      model: string;
      mode: PermissionMode;
      tools: string[];
      /** What a prompt may call with a leading slash, including skills; left out if commands are not enabled. */
      commands?: readonly string[];
      /** Those of them that are skills. */
      skills?: readonly string[];
      /** The types of agents that can be started; left out for a child agent. */
      agents?: readonly string[];
      /** The MCP servers, and the state of each; left out if there are none. */
      mcpServers?: ReadonlyArray<{ name: string; status: string }>;
    }
  /** Something that the person should know, and the model need not. */
  | { type: 'notice'; text: string }
  /** A budget is nearly used up, or it is used up and the run ends. A notice or the result says so in words. */
  | ({ type: 'budget'; state: 'near' | 'reached' } & BudgetUse)
  /** The goal was checked: see docs/goals.md. A notice says so in words. */
  | ({ type: 'goal' } & GoalCheck)
  /** A hook wants the run to end after this turn. */
  | { type: 'stop_request'; reason: string }
  /** A request goes to the model. */
  | { type: 'turn_start'; turn: number }
  /** The model could not answer; it is asked again after the wait. */
  | ({ type: 'model_retry' } & RetryFacts)
  /** The answer of this turn starts again: discard what was shown of it. */
  | { type: 'answer_restart' }
  /** The next words of the answer. */
  | { type: 'text_delta'; text: string }
  /** The next words of the model's thoughts. */
  | { type: 'thinking_delta'; text: string }
  /** The model wrote its calls as text in this format, and they were read from it. They follow, and are judged like any other. */
  | ({ type: 'text_calls' } & TextCallFacts)
  | ToolInputEvent
  /** The call's input is complete; it goes to the gate next. */
  | { type: 'tool_call'; callId: string; tool: string; input: unknown; display: ToolDisplay }
  /** Whether the call may run, with the reason, everything that was checked on the way, and what it would touch. */
  | {
      type: 'permission_decision';
      callId: string;
      tool: string;
      decision: Decision;
      /** Left out where a decision is repeated. */
      effects?: readonly Effect[];
    }
  /** The call can't begin yet. Its result has all of its waits, with their ends. */
  | { type: 'tool_wait'; callId: string; tool: string; reason: WaitReason; detail?: string }
  /** Past the gate, checked and permitted: the work begins. */
  | { type: 'tool_start'; callId: string; tool: string }
  /** Progress of the work, for the person. */
  | { type: 'tool_progress'; callId: string; tool: string; text: string }
  | ToolResultEvent
  /** The complete answer of this turn. */
  | { type: 'assistant_message'; message: AssistantMessage; id: string; model: string }
  /** What goes back to the model: results, in the order of the calls, and Helve's own messages. */
  | { type: 'user_message'; message: UserMessage }
  /** The answer is complete and its calls are done. */
  | { type: 'turn_end'; turn: number; stopReason: StopReason | null; usage: Usage }
  | CompactionEvent
  | ChildEvent
  | RunResult;

/**
 * A piece of a call's input. Reading `input` or `display` costs the length of the input so far, so read at your own
 * pace.
 */
export interface ToolInputEvent {
  type: 'tool_input';
  callId: string;
  tool: string;
  /** The next characters of the JSON. */
  delta: string;
  /** The input as far as it has arrived. */
  input(): unknown;
  display(): ToolDisplay;
}

/** The one answer to a call. */
export interface ToolResultEvent {
  type: 'tool_result';
  callId: string;
  tool: string;
  /** The content that the model gets. */
  result: ToolResultBlock;
  /** What it waited for before its work began, in order; left out if it did not have to wait. */
  waits?: readonly CallWait[];
  /** The kind of failure, one of six; absent if the call succeeded. */
  failure?: FailureKind;
  /** The full error behind an exception, for logs. */
  error?: unknown;
  /** What went wrong, for the person, who never sees what the model gets; absent if the call succeeded. */
  problem?: string;
  /** The tool's result as data. */
  data?: unknown;
  /** The result for an MCP client, if the tool has one. */
  mcp?: McpResult;
  display: ToolDisplay;
}

/** Space was freed in the context window: old results were cleared, or the history was replaced by a summary. */
export interface CompactionEvent {
  type: 'compaction';
  trigger: 'auto' | 'manual';
  /** Estimates, calibrated by the provider's last report. */
  tokensBefore: number;
  tokensAfter: number;
  /** How many old results were cleared, and how many messages summarised. */
  clearedResults: number;
  summarisedMessages: number;
  /** Usage of the request for the summary. */
  usage: Usage;
  /** Why the program made the summary and not the model. */
  listedBecause?: string;
}

/** An event of a child agent, including its result. Code that filters events by type ignores it. */
export interface ChildEvent {
  type: 'agent_event';
  agentId: string;
  agentType: string;
  /** The call that started or resumed it. */
  parentCallId: string;
  event: AgentEvent;
}

/** How the run ended. Exactly one, and the last event. */
export interface RunResult {
  type: 'result';
  outcome: RunOutcome;
  /** The model's last message, or for a failure one sentence about it. */
  text: string;
  /** The failed request that ended the run: what happened, and what a person has to change, if that is known. */
  failure?: { kind: ModelFailureKind; problem: string; about?: FailureSubject };
  /** Requests to the model. */
  turns: number;
  /** The model's last one. */
  stopReason: StopReason | null;
  /** Of this run. */
  usage: Usage;
  /**
   * Of this run and the child agents that ended in it, in US dollars, or null if the prices of a model that answered
   * are not known.
   */
  costUsd: number | null;
  /** The usage of each model since the session began in this process, in the order in which they first answered. */
  models: readonly ModelUse[];
  /** Time spent waiting for the model, and in total. */
  modelMs: number;
  totalMs: number;
  /** The limits of the budget, and what is used of each; left out if there are none. */
  budget?: readonly BudgetUse[];
  /** The calls that were denied. */
  denials: ReadonlyArray<{ tool: string; callId: string; input: unknown }>;
}

/** The usage of one model. */
export interface ModelUse {
  provider: string;
  name: string;
  usage: Usage;
  /** US dollars, or null if the model's prices are not known. */
  costUsd: number | null;
  /** Tokens that fit into one request and its answer together, if it is known. */
  contextTokens?: number;
  maxOutputTokens?: number;
}

/** How a run ended. All but `completed` are reasons why it ended before its work was done. */
export type RunOutcome =
  /** The model finished its answer. */
  | 'completed'
  /** The limit set for this run was reached. */
  | 'max_turns'
  /** The time set for this run was over. */
  | 'max_time'
  /** The budget was used up: see docs/budgets.md. */
  | 'budget'
  /** The goal is not met, and the work on it makes no progress, or it could not be checked. */
  | 'goal_unmet'
  /** A signal, `interrupt()`, or an aborted signal of the caller. */
  | 'interrupted'
  /** A hook ended the run, or did not let the prompt through; the text is its reason. */
  | 'stopped'
  /** The model refused to go on. */
  | 'refused'
  /** Answer after answer reached the limit of output tokens. */
  | 'output_limit'
  /** The conversation does not fit the model, even after it was compacted. */
  | 'context_overflow'
  /** Answer after answer had only calls that could not be understood. */
  | 'malformed_calls'
  /** Answer after answer was empty, or had no text beside thoughts, blanks and invisible characters. */
  | 'empty_answer'
  /** Answer after answer was a pause, and none was finished. */
  | 'pause_limit'
  /** The request failed, also when it was sent again. */
  | 'model_error';

/** Whether a person should look: the work is not done, and neither a person, a hook nor the model ended it on purpose. */
export const needsPerson = (outcome: RunOutcome): boolean =>
  !['completed', 'interrupted', 'stopped', 'refused'].includes(outcome);
