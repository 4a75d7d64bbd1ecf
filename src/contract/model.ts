import type { AssistantBlock, Message } from './message.js';

/** A language model behind some endpoint. One `stream` is one request; retries and the conversation live above. */
export interface Model {
  /** The provider's key in settings and in opaque blocks, for example "anthropic". */
  readonly provider: string;
  /** The model's name as the provider knows it. */
  readonly name: string;
  /** Tokens that one answer may have. */
  readonly maxOutputTokens: number;
  /** What is known of the model beside its name; absent for one that nobody has described. */
  readonly facts?: ModelFacts;
  /** The models that may answer in its place, for whoever counts what was used. A `retry` says when one does. */
  readonly fallbacks?: readonly Model[];
  /** Throws `ModelFailure` where the set-up can't work, as with a missing key or a bad address. Asks nobody. */
  check?(): void;
  /** Closes connections that wait for the next request. The model can be asked again after it. */
  release?(): void;
  /**
   * Sends the request and yields the answer as it arrives, ending with exactly one `message_end`.
   * Throws `ModelFailure` for everything that goes wrong on the way, and the signal's reason when aborted.
   */
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}

/** What is known of a model beside its name. */
export interface ModelFacts {
  /** Tokens that fit into one request and its answer together. */
  contextTokens?: number;
  /** US dollars for a million tokens. */
  prices?: { input: number; output: number; cacheRead?: number; cacheWrite?: number };
  /** How the model was trained to change files: by replacing text, or by patches. */
  editStyle?: 'text' | 'patch';
  /** Whether it can look at images. */
  seesImages?: boolean;
}

/** How much a model is to think before it answers; each provider has its own words for it. */
export const efforts = ['none', 'low', 'medium', 'high', 'max'] as const;

/** One of these levels. */
export type Effort = (typeof efforts)[number];

/** One request to a model, in the words of no provider. */
export interface ModelRequest {
  system: readonly string[];
  tools: readonly ToolDefinition[];
  /** Valid as it stands: every call answered exactly once, in the message that follows it. */
  messages: readonly Message[];
  /** Not a turn of the conversation: its answer, a summary for example, is not shown. */
  aside?: true;
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
  | { type: 'message_start'; id: string; model: string }
  /** The request failed in a way that may pass; it is sent again after the wait, perhaps to another model. */
  | ({ type: 'retry' } & RetryFacts)
  /** The answer begins anew: what came of it so far, nothing of which was complete, does not count. */
  | { type: 'restart' }
  | { type: 'text_delta'; text: string }
  | { type: 'thinking_delta'; text: string }
  /** A finished block that is not a call of ours, exactly as it must go back. Its deltas came before. */
  | { type: 'block'; block: Exclude<AssistantBlock, { type: 'tool_use' }> }
  | { type: 'call_start'; index: number; id: string; name: string }
  /** The next characters of the call's input; together, over all pieces, one JSON text. */
  | { type: 'call_input'; index: number; json: string }
  | { type: 'call_end'; index: number }
  | { type: 'message_end'; stopReason: StopReason | null; usage: Usage; explanation?: string };

/** What a person should know of a request that is sent again. */
export interface RetryFacts {
  /** Which retry of this request it is, from 1, and of how many. */
  attempt: number;
  maxRetries: number;
  waitMs: number;
  /** What went wrong, and where it is so, that another model is asked now. */
  reason: string;
  /** The HTTP status, where the server answered with one. */
  status?: number | undefined;
  /** The model that is asked next, and whose it is: several providers have models of one name. */
  provider: string;
  model: string;
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
  /** The answer broke off, or nothing came for too long. Sent again: yes, while nothing of the answer is complete; after that, the run goes on from there. */
  | 'broken_stream';

/** A request that did not give an answer. The message is one sentence for a person: what happened and what to set. */
export class ModelFailure extends Error {
  readonly kind: ModelFailureKind;
  readonly status: number | undefined;
  /** How long the server asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;
  /** Whether the same request may succeed when it is sent again; left out, the kind and the cause tell. */
  readonly transient: boolean | undefined;

  constructor(
    kind: ModelFailureKind,
    message: string,
    options: { status?: number; retryAfterMs?: number; transient?: boolean; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelFailure';
    this.kind = kind;
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.transient = options.transient;
  }
}
