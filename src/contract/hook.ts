import type { Effect } from './effect.js';
import type { Behavior, HookAnswer, PermissionMode } from './permission.js';

/** The moments at which hooks run. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PermissionRequest',
  'UserPromptSubmit',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'Notification',
  'PreCompact',
  'SubagentStart',
  'SubagentStop',
] as const;

export type HookEvent = (typeof hookEvents)[number];

/** What a hook is told at each moment, beside what it is told at all of them. Field names are those of the wire. */
export interface HookPayloads {
  PreToolUse: ToolPayload & { tool_use_id: string };
  PostToolUse: ToolPayload & { tool_use_id: string; tool_response: unknown; duration_ms?: number };
  PostToolUseFailure: ToolPayload & {
    tool_use_id: string;
    error: string;
    is_interrupt?: boolean;
    duration_ms?: number;
  };
  PermissionRequest: ToolPayload & { permission_suggestions?: readonly unknown[] };
  UserPromptSubmit: AgentPayload & { prompt: string };
  SessionStart: AgentPayload & { source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork'; model?: string };
  SessionEnd: AgentPayload & { reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other' };
  /** `stop_hook_active`: the model is at work only because a Stop hook sent it back. */
  Stop: AgentPayload & { stop_hook_active: boolean; last_assistant_message?: string };
  Notification: AgentPayload & { message: string; title?: string; notification_type: string };
  PreCompact: AgentPayload & { trigger: 'manual' | 'auto'; custom_instructions: string };
  SubagentStart: { agent_id: string; agent_type: string };
  SubagentStop: {
    agent_id: string;
    agent_type: string;
    stop_hook_active: boolean;
    agent_transcript_path?: string;
    last_assistant_message?: string;
  };
}

/** Set where it happens inside a child agent. */
interface AgentPayload {
  agent_id?: string;
  agent_type?: string;
}

interface ToolPayload extends AgentPayload {
  tool_name: string;
  tool_input: unknown;
}

/** What a hook gets, as JSON: on standard input, as the body of a request, or as the argument of a callback. */
export type HookInput<Event extends HookEvent = HookEvent> = HookPayloads[Event] & {
  session_id: string;
  transcript_path: string;
  cwd: string;
  permission_mode: PermissionMode;
  hook_event_name: Event;
};

/** What a hook may answer with, as JSON that it prints or sends, or as what a callback returns. */
export interface HookOutput {
  /** False stops the agent, with `stopReason` for the person. */
  continue?: boolean;
  stopReason?: string;
  /** For the person. */
  systemMessage?: string;
  /** Taken without effect: what a hook prints is never shown as it is. */
  suppressOutput?: boolean;
  /** Objects: to the prompt, to the end, or to what was done. Before a call `block` denies and `approve` allows. */
  decision?: 'block' | 'approve';
  reason?: string;
  hookSpecificOutput?: {
    hookEventName?: HookEvent;
    /** PreToolUse. */
    permissionDecision?: Behavior;
    permissionDecisionReason?: string;
    /** PreToolUse: the whole input; a field that is left out is gone. */
    updatedInput?: Readonly<Record<string, unknown>>;
    /** PermissionRequest. */
    decision?: {
      behavior: 'allow' | 'deny';
      message?: string;
      updatedInput?: Readonly<Record<string, unknown>>;
      interrupt?: boolean;
    };
    /** For the model. */
    additionalContext?: string;
    /** PostToolUse: what the model sees instead of the result. */
    updatedToolOutput?: unknown;
  };
}

/**
 * A hook inside the program. One that throws or takes too long has failed, as a command would have; before a call, taking
 * too long refuses the call.
 */
export type HookCallback = (
  input: HookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => HookOutput | undefined | Promise<HookOutput | undefined>;

/** What all hooks of one moment said, the strictest answer first in rank, everything else in configuration order. */
export interface HookOutcome {
  /** What each hook wants done with the call: for `DecisionRequest.hooks`. Empty at other moments. */
  answers: readonly HookAnswer[];
  /** The strictest of the answers. */
  behavior?: Behavior;
  /** The whole new input of the call, for the schema, the effects and the decision to see before anything runs. */
  updatedInput?: Record<string, unknown>;
  /**
   * A hook objects. After a call: a word to the model, what was done stands. To a prompt: it is not sent, and the
   * person is told. At the end: the model is told and goes on. Before compacting: it is left out.
   */
  block?: { reason: string };
  /** Text for the model. */
  additionalContext: readonly string[];
  /** After a call: what the model is to see instead of the result. The result itself is kept. */
  updatedOutput?: { value: unknown };
  /** The agent is to stop here, whatever else was said; the reason is for the person. */
  stop?: { reason: string };
  /** What hooks want the person to see. */
  messages: readonly string[];
  /** What went wrong with hooks, in sentences for the person. Never empty when a hook failed. */
  reports: readonly string[];
}

export interface HookRunOptions {
  /** Ends all hooks of the moment; the run then rejects with its reason. */
  signal: AbortSignal;
  /** What the call would touch, for hooks that have an `if` rule. */
  effects?: readonly Effect[];
}

/** The hooks of one session. */
export interface Hooks {
  /** Whether anything would run at this moment, whatever the matchers say: where not, don't even make the payload. */
  has(event: HookEvent): boolean;
  /** Runs what matches, all at once, and waits for all of it. Rejects only when the signal aborts. */
  run<Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    options: HookRunOptions,
  ): Promise<HookOutcome>;
  /** What the person has to know beside the reports of a run, such as hooks that are not run. Each is given once. */
  notices(): string[];
  /** Ends hooks that still run in the background. */
  end(): Promise<void>;
}
