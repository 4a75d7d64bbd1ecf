import type { IncomingHttpHeaders } from 'node:http';
import type { Usage } from '../contract/model.js';

/**
 * One wire format of the fake model server. To add another: write a file like `chat-format.ts` that exports a
 * `WireFormat`, and add that to the list in `fake-model-server.ts`. The path of a request chooses the format.
 */
export interface WireFormat {
  /** Whether requests to this path, with its query, are in this format. */
  matches(path: string): boolean;
  /** The path alone says that the answer is streamed, so that the body has no `stream`. */
  streamsByPath?: boolean;
  /** The type of the answer, if it is not an event stream. */
  contentType?: string;
  /** Refuses a request that is not authorised as the API demands. */
  refusal?(request: PlainRequest): FakeRefusal | undefined;
  /**
   * The violations of a request by the rules of the API, in words like its own. That it streams is checked for all
   * formats without `streamsByPath`.
   */
  violations(body: unknown): string[];
  /** The answer as the texts of its server-sent events, each with its blank line. `number` counts answers from 1. */
  events(answer: FakeMessage, number: number): string[];
  /** An event as the bytes on the wire, if not as its UTF-8 text. */
  frame?(event: string): Uint8Array;
  /** The JSON body of an HTTP error. */
  errorBody(error: { type: string; message: string }): unknown;
  /** Headers of an HTTP error. */
  errorHeaders?(error: { type: string; message: string }): Readonly<Record<string, string>>;
}

export interface PlainRequest {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface FakeRefusal {
  status: number;
  type: string;
  message: string;
}

/** What the model says. Blocks come in the order thinking, text, `blocks`, calls. */
export interface FakeMessage {
  thinking?: { text: string; signature: string };
  text?: string;
  /** Blocks in wire format: server-side tools and their results, cited text, or any order of any kinds. */
  blocks?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  calls?: readonly FakeCall[];
  /** Default: "tool_use" for an answer with calls, else "end_turn". Any text, so that unknown reasons can be tested. */
  stopReason?: string | null;
  stopDetails?: Readonly<Record<string, unknown>>;
  usage?: Partial<Usage>;
  /** Instead of the message's end: an error event, as when a server is overloaded in the middle of an answer. */
  streamError?: { type: string; message: string };
  /** Leaves out all events of these types, by the format's own names for them. */
  omit?: string | readonly string[];
  /** The raw event stream, instead of everything above. */
  raw?: string;
}

/** A call in an answer. */
export interface FakeCall {
  name: string;
  id?: string;
  input?: unknown;
  /** The input as raw text, which need not be valid JSON; takes precedence over `input`. */
  json?: string;
}

const PIECE_LENGTH = 8; // characters in one delta: small, so that words, escapes and numbers are split

/** The text in the pieces that deltas carry. Split by code point: only the bytes of the stream may split characters. */
export function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${PIECE_LENGTH}}`, 'gsu')) ?? [];
}
