import type { Effect } from './effect.js';
import type { Behavior, HookAnswer, PermissionMode } from './permission.js';

/** The moments at which hooks run. */
export const hookEvents = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'Setup',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'Notification',
  'PreCompact',
  'PostCompact',
  'SubagentStart',
  'SubagentStop',
  'CwdChanged',
  'DirectoryAdded',
  'InstructionsLoaded',
  'WorktreeCreate',
  'WorktreeRemove',
] as const;

/** The name of a moment at which hooks run. */
export type HookEvent = (typeof hookEvents)[number];

/**
 * The fields that a hook gets at each moment, beside those that it always gets. Field names are those of the wire.
 * These comments are the tables of docs/hooks.md; the text after "Objecting" is a column of its own.
 */
export interface HookPayloads {
  /** Before a call is decided, refused ones too. Objecting denies the call. */
  PreToolUse: ToolPayload & CallPayload;
  /** After a call that succeeded. Objecting tells the model; the effects of the call remain. */
  PostToolUse: ToolPayload &
    CallPayload & {
      /** The result of the call, as data. */
      tool_response: unknown;
      /** How long the call took. */
      duration_ms?: number;
    };
  /** After a call that started and failed. Objecting tells the model. */
  PostToolUseFailure: ToolPayload &
    CallPayload & {
      /** The text that the model reads. */
      error: string;
      /** The call was cancelled. */
      is_interrupt?: boolean;
      /** How long the call took. */
      duration_ms?: number;
    };
  /** After all calls of one answer, before the model reads the results. Objecting ends the run. */
  PostToolBatch: AgentPayload & {
    /** Each with `tool_name`, `tool_input`, `tool_use_id`, and with `tool_response`, which is what the model reads. */
    tool_calls: readonly unknown[];
  };
  /** After a call was refused, by a rule or a person. Objecting does nothing. */
  PermissionDenied: ToolPayload &
    CallPayload & {
      /** The reason, as the model reads it. */
      reason: string;
    };
  /** When a person would be asked. Objecting denies the call. */
  PermissionRequest: ToolPayload & {
    /** The rules that could be remembered. */
    permission_suggestions?: readonly unknown[];
  };
  /** Before a prompt is sent. Objecting keeps it from being sent. */
  UserPromptSubmit: AgentPayload & {
    /** What the person said. */
    prompt: string;
  };
  /** Before a slash command or a prompt of an MCP server is expanded. Objecting keeps the prompt from being sent. */
  UserPromptExpansion: AgentPayload & {
    /** What kind of thing is expanded. */
    expansion_type: 'slash_command' | 'mcp_prompt';
    /** Its name, without the slash. */
    command_name: string;
    /** The text after the name. */
    command_args: string;
    /** What the person said. */
    prompt: string;
  };
  /** With the first prompt of a run with `--init` or `--maintenance`, before SessionStart. Objecting does nothing. */
  Setup: AgentPayload & {
    /** Which of the two flags. */
    trigger: 'init' | 'maintenance';
  };
  /** With the first prompt, and after a compaction. Objecting does nothing. */
  SessionStart: AgentPayload & {
    /** What begins: `startup`, `resume`, `fork` or `compact`. After `/clear` it is `startup`. */
    source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
    /** The name of the model; left out after a compaction. */
    model?: string;
  };
  /** At the end. Objecting does nothing. */
  SessionEnd: AgentPayload & {
    /** Why. Today it is `other`. */
    reason: 'clear' | 'resume' | 'logout' | 'prompt_input_exit' | 'other';
  };
  /** When the model has finished. Objecting tells the model, which continues. */
  Stop: AgentPayload & EndPayload;
  /** When a run ends with a failure, such as an unreachable model. Objecting does nothing. */
  StopFailure: AgentPayload & {
    /** How the run ended: an outcome of the events, such as `model_error`. */
    error: string;
    /** The same in a sentence. */
    error_details?: string;
  };
  /** When a person is asked something. Objecting does nothing. */
  Notification: AgentPayload & {
    /** A sentence for the person. */
    message: string;
    /** Not set today. */
    title?: string;
    /** What the notification is about. Today it is `permission_prompt`. */
    notification_type: string;
  };
  /** Before the history is summarised. Objecting leaves out a summary that a person asked for. */
  PreCompact: AgentPayload & {
    /** Whether a person asked for it or the window is full. */
    trigger: 'manual' | 'auto';
    /** What the person wants kept; else empty. */
    custom_instructions: string;
  };
  /** After the history was summarised. Objecting does nothing. */
  PostCompact: AgentPayload & {
    /** Whether a person asked for it or the window is full. */
    trigger: 'manual' | 'auto';
    /** The summary. */
    compact_summary: string;
  };
  /** Before a child agent begins; `additionalContext` goes to the child. Objecting does nothing. */
  SubagentStart: Required<AgentPayload>;
  /** When a child agent is done. Objecting tells the child, which continues. */
  SubagentStop: Required<AgentPayload> &
    EndPayload & {
      /** Where the child's conversation is kept. */
      agent_transcript_path?: string;
    };
  /** After a command has changed the directory that commands start in. Objecting does nothing. */
  CwdChanged: AgentPayload & {
    /** The directory before. */
    old_cwd: string;
    /** The directory now. */
    new_cwd: string;
  };
  /** After a folder was added to the project during a session. Objecting does nothing. */
  DirectoryAdded: AgentPayload & {
    /** The folder, absolute. */
    directory: string;
    /** `slash_command` for `/add-dir`, `register_repo_root` for a program. */
    source: 'slash_command' | 'register_repo_root';
  };
  /** After a file of instructions was read, such as HELVE.md or CLAUDE.md. Objecting does nothing. */
  InstructionsLoaded: AgentPayload & {
    /** The file, absolute. */
    file_path: string;
    /** Whose it is. */
    memory_type: 'User' | 'Project' | 'Local' | 'Managed';
    /** Why it was read: with the session, because a file below its folder was seen, or because another file imports it. */
    load_reason: 'session_start' | 'nested_traversal' | 'include';
    /** With `include`: the file that imports it. */
    parent_file_path?: string;
  };
  /** When a worktree is to be made: the hook makes it instead of Helve, and prints its path. Objecting keeps it from being made. */
  WorktreeCreate: {
    /** The name of the worktree. */
    name: string;
  };
  /** Before a worktree that a hook has made is removed. Objecting does nothing. */
  WorktreeRemove: {
    /** Its folder, absolute. */
    worktree_path: string;
  };
}

interface AgentPayload {
  /** The child agent that it happens in; left out in the conversation itself. */
  agent_id?: string;
  /** The type of that agent. */
  agent_type?: string;
}

interface ToolPayload extends AgentPayload {
  /** The tool, by its own name. */
  tool_name: string;
  /** What it is called with. */
  tool_input: unknown;
}

interface CallPayload {
  /** The id of the call. */
  tool_use_id: string;
}

interface EndPayload {
  /** The model is running only because a hook sent it back. */
  stop_hook_active: boolean;
  /** The model's last message. */
  last_assistant_message?: string;
}

/** What a hook gets, as JSON: on standard input, as the body of a request, or as the argument of a callback. */
export type HookInput<Event extends HookEvent = HookEvent> = HookPayloads[Event] & HookBasics<Event>;

interface HookBasics<Event extends HookEvent> {
  /** The conversation. */
  session_id: string;
  /** The file that it is kept in. */
  transcript_path: string;
  /** The directory that commands start in. */
  cwd: string;
  /** The permission mode. */
  permission_mode: PermissionMode;
  /** The moment. */
  hook_event_name: Event;
}

/** What a hook may answer with, as JSON that it prints or sends, or as the return value of a callback. */
export interface HookOutput {
  /** False ends the run here. */
  continue?: boolean;
  /** With it: why, for the person. */
  stopReason?: string;
  /** For the person. */
  systemMessage?: string;
  /** Accepted without effect: a hook's output is never shown directly. */
  suppressOutput?: boolean;
  /** `block` objects: to the prompt, to the end, or to the result. Before a call it denies, and `approve` allows. */
  decision?: 'block' | 'approve';
  /** With it: why. */
  reason?: string;
  hookSpecificOutput?: {
    /** The moment that it answers to. */
    hookEventName?: HookEvent;
    /** PreToolUse: what to do with the call: `allow`, `ask` or `deny`. */
    permissionDecision?: Behavior;
    /** With it: why. */
    permissionDecisionReason?: string;
    /**
     * PreToolUse: the complete new input; a field that is left out is removed. It is checked and judged like any
     * other.
     */
    updatedInput?: Readonly<Record<string, unknown>>;
    /** PermissionRequest: the answer on behalf of the person, `behavior` being `allow` or `deny`. */
    decision?: {
      behavior: 'allow' | 'deny';
      message?: string;
      updatedInput?: Readonly<Record<string, unknown>>;
      interrupt?: boolean;
    };
    /** For the model. */
    additionalContext?: string;
    /** PostToolUse: what the model sees instead of the result. Lines of files that are not in it do not count as read. */
    updatedToolOutput?: unknown;
    /** WorktreeCreate: the folder that the hook has made. A command may print the path alone, as its last line. */
    worktreePath?: string;
  };
}

/**
 * A hook inside the program. One that throws or times out has failed, like a command; before a call, a timeout
 * refuses the call.
 */
export type HookCallback<Event extends HookEvent = HookEvent> = (
  input: HookInput<Event>,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => HookOutput | undefined | Promise<HookOutput | undefined>;

/**
 * The combined result of all hooks of one moment, the strictest answer first in rank, everything else in configuration
 * order.
 */
export interface HookOutcome {
  /** What each hook wants done with the call: for `DecisionRequest.hooks`. Empty at other moments. */
  answers: readonly HookAnswer[];
  /** The strictest of the answers. */
  behavior?: Behavior;
  /**
   * The complete new input of the call, to be checked against the schema, the effects and the rules before anything
   * runs.
   */
  updatedInput?: Record<string, unknown>;
  /** The hooks that made it, by their names. */
  changedBy?: readonly string[];
  /**
   * A hook objects. After a call: a message to the model; the effects remain. To a prompt: it is not sent, and the
   * person is informed. At the end: the model is informed and continues. Before compacting: it is skipped.
   */
  block?: { reason: string };
  /** Text for the model. */
  additionalContext: readonly string[];
  /** After a call: what the model sees instead of the result. The result itself is kept. */
  updatedOutput?: { value: unknown };
  /** WorktreeCreate: the folder that was made. */
  worktreePath?: string;
  /** The agent must stop here, regardless of other answers; the reason is for the person. */
  stop?: { reason: string };
  /** Messages of hooks for the person. */
  messages: readonly string[];
  /** Failures of hooks, in sentences for the person. Never empty if a hook failed. */
  reports: readonly string[];
}

export interface HookRunOptions {
  /** Ends all hooks of the moment; the run then rejects with its reason. */
  signal: AbortSignal;
  /** The effects of the call, for hooks that have an `if` rule. */
  effects?: readonly Effect[];
  /** Called if a hook matches that the moment waits for, before it starts. */
  onWait?: () => void;
}

/** The hooks of one session. */
export interface Hooks {
  /** Whether any hook is configured for this moment, ignoring matchers: if not, skip building the payload. */
  has(event: HookEvent): boolean;
  /** Runs the matching hooks in parallel, and waits for all of them. Rejects only when the signal aborts. */
  run<Event extends HookEvent>(
    event: Event,
    payload: HookPayloads[Event],
    options: HookRunOptions,
  ): Promise<HookOutcome>;
  /** Messages for the person beside the reports of a run, such as hooks that are not run. Each is returned once. */
  notices(): string[];
  /** Ends hooks that still run in the background. */
  end(): Promise<void>;
}
