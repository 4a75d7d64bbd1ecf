import type { AssistantBlock, Message } from './message.js';

/**
 * A language model behind an endpoint. One `stream` is one request; retries and the conversation are handled by
 * callers.
 */
export interface Model {
  /** The provider's key in settings and in opaque blocks, for example "anthropic". */
  readonly provider: string;
  /** The model's name as the provider knows it. */
  readonly name: string;
  /** Tokens that one answer may have. */
  readonly maxOutputTokens: number;
  /** Facts about the model beside its name; absent for an unknown model. */
  readonly facts?: ModelFacts;
  /** The fallback models that may answer instead, for code that tracks usage. A `retry` event says when one does. */
  readonly fallbacks?: readonly Model[];
  /**
   * Throws `ModelFailure` if the configuration can't work, as with a missing key or an invalid address. Sends no
   * request.
   */
  check?(): void;
  /**
   * Names the account at the provider whose limits the requests count against, without giving away its key: models of
   * one account return the same. Undefined if it is not known; then the model shares nothing with others.
   */
  account?(): string | undefined;
  /** Closes idle connections. The model can be used again afterwards. */
  release?(): void;
  /**
   * Sends the request and yields the answer as it arrives, ending with exactly one `message_end`. Throws
   * `ModelFailure` for every error on the way, and the signal's reason when aborted.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** Facts about a model beside its name. */
export interface ModelFacts {
  /** Tokens that fit into one request and its answer together. */
  contextTokens?: number;
  /** US dollars for a million tokens. */
  prices?: { input: number; output: number; cacheRead?: number; cacheWrite?: number };
  /** How the model was trained to change files: by replacing text, or by patches. */
  editStyle?: 'text' | 'patch';
  /** Whether it accepts images. */
  seesImages?: boolean;
  /** The set of tools that it is offered: `small` suits models that lose their way among many. */
  toolProfile?: ToolProfileName;
}

/** How many tools a model is offered from the start, and in how many words. */
export const toolProfileNames = ['full', 'small'] as const;

/** One of these sets. */
export type ToolProfileName = (typeof toolProfileNames)[number];

/** How much a model should think before it answers; each provider has its own terms for it. */
export const efforts = ['none', 'low', 'medium', 'high', 'max'] as const;

/** One of these levels. */
export type Effort = (typeof efforts)[number];

/** One request to a model, in a provider-independent format. */
export interface ModelRequest {
  system: readonly string[];
  tools: readonly ToolDefinition[];
  /** Always valid: every call is answered exactly once, in the message that follows it. */
  messages: readonly Message[];
  /**
   * The tool of the last call, if that was malformed and is to be sent again. A server that can is made to answer with a
   * valid call of it.
   */
  expectedCall?: string;
  /**
   * The answer before this request failed with this after its calls had begun. The request goes on from their results:
   * it is a retry like any other, with a wait before it.
   */
  continues?: ModelFailure;
  /** Not a turn of the conversation: its answer, a summary for example, is not shown. */
  aside?: true;
  /** Called when the request has left this process. A model that can't tell does not call it. */
  onSent?: (() => void) | undefined;
}

/** A tool as a model sees it. */
export interface ToolDefinition {
  name: string;
  description: string;
  input_schema: JsonSchema;
}

/** A JSON Schema, as plain data. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** A piece of an answer, as it arrives. */
export type ModelEvent =
  /** `usage` is what the server has counted by then: the input, as a rule. `message_end` has the whole of it. */
  | { type: 'message_start'; id: string; model: string; usage?: Usage }
  /** The request failed with a temporary error; it is sent again after the wait, perhaps to another model. */
  | ({ type: 'retry' } & RetryFacts)
  /** The answer starts again: discard what has arrived so far, also its complete blocks. No call was among them. */
  | { type: 'restart' }
  /** Empty while text is held back that may turn out to be a call. */
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; text: string }
  /** Something that the person should know about how the server is used. */
  | { type: 'notice'; text: string }
  /** The model wrote calls as text; they follow. */
  | ({ type: 'text_calls' } & TextCallFacts)
  /** A finished block that is not a call of ours, exactly as it must be sent back. Its deltas came before. */
  | { type: 'block'; block: Exclude<AssistantBlock, { type: 'tool_use' }> }
  | { type: 'call_start'; index: number; id: string; name: string }
  /** The next characters of the call's input; all pieces together are one JSON text. */
  | { type: 'call_input'; index: number; json: string }
  | { type: 'call_end'; index: number }
  | { type: 'message_end'; stopReason: StopReason | null; usage: Usage; explanation?: string };

/** Facts for the person about calls that a model wrote as text. */
export interface TextCallFacts {
  /** The name of the format, such as `hermes`. */
  format: string;
  /** The tools that are called, in order. */
  tools: readonly string[];
}

/** Facts for the person about a request that is sent again. */
export interface RetryFacts {
  /** Which retry of this request it is, from 1. */
  attempt: number;
  /** The number of the last retry, if all fail like this one. */
  maxRetries: number;
  waitMs: number;
  /** What happened, and if a fallback takes over, that another model is asked now. */
  reason: string;
  /** The HTTP status, if the server sent one. */
  status?: number | undefined;
  /** The next model and its provider: several providers have models of the same name. */
  provider: string;
  model: string;
  /** The tokens of the try that failed, as far as they are known; left out if the server reported none. */
  usage?: Usage;
}

/** Why an answer ended. */
export type StopReason =
  | 'end_turn'
  | 'tool_use'
  | 'max_tokens'
  | 'stop_sequence'
  | 'pause_turn'
  | 'refusal'
  | 'context_overflow';

/** Tokens of one or more requests, as the provider counts them. */
export interface Usage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

/** The comments here are a table of docs/errors.md; what follows "Sent again" is a column of its own. */
export type ModelFailureKind =
  /** The key of the provider is missing or wrong, or its credit is used up. Sent again: no. */
  | 'auth'
  /** Look at the network, or the provider's address, such as `ANTHROPIC_BASE_URL`. Sent again: where the connection was refused, reset, timed out or its name not found. */
  | 'unreachable'
  /** Look at `--model`, `HELVE_MODEL` and `helve models`. Sent again: no. */
  | 'unknown_model'
  /** Too many requests, or tokens, in too short a time: wait. Sent again: yes. */
  | 'rate_limited'
  /** Too many others ask: wait, or name a `--fallback-model`. Sent again: yes. */
  | 'overloaded'
  /** The request does not fit the model. Sent again: no; the conversation is compacted instead. */
  | 'context_overflow'
  /** The sentence has the server's words. Also a `models.json` or a setting that is not understood. Sent again: no. */
  | 'invalid_request'
  /** The server failed: wait, or name a `--fallback-model`. Sent again: yes. */
  | 'server_error'
  /** A budget is used up: see docs/budgets.md. The request was not sent. Sent again: no. */
  | 'budget'
  /** The answer broke off, or nothing came for too long. Sent again: yes; if a call was complete, the run goes on from its result. */
  | 'broken_stream';

/** What a person has to change after a failed request. A surface says how that is done there. */
export type FailureSubject = 'key' | 'credit' | 'model' | 'address' | 'network';

/** The parts of a model failure beside its message. */
export interface ModelFailureOptions {
  /** What to do about it: the variable or flag to check. It follows the message. */
  advice?: string | undefined;
  about?: FailureSubject | undefined;
  status?: number | undefined;
  retryAfterMs?: number | undefined;
  transient?: boolean | undefined;
  cause?: unknown;
}

/** A request that failed. The message is for a person: what happened, and what to set. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind;
  /** What happened, without advice. */
  readonly problem: string;
  /** What has to be changed, if that is known. */
  readonly about: FailureSubject | undefined;
  readonly status: number | undefined;
  /** How long the server asks to wait before the next attempt. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed when it is sent again; by default the kind and the cause decide. */
  readonly transient: boolean | undefined;

  constructor(kind: ModelFailureKind, problem: string, options: ModelFailureOptions = {}) {
    super([problem, options.advice].filter(Boolean).join(' '), { cause: options.cause });
    this.name = 'ModelFailure';
    this.kind = kind;
    this.problem = problem;
    this.about = options.about;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.transient = options.transient;
  }
}
