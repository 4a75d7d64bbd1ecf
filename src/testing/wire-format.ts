import type { Usage } from '../contract/model.js';

/**
 * One wire format of the fake model server. To teach it another: write a file like `chat-format.ts` that exports a
 * `WireFormat`, and add that to the list in `fake-model-server.ts`. The path of a request chooses the format.
 */
export interface WireFormat {
  /** Whether requests to this path, with its query, are in this format. */
  matches(path: string): boolean;
  /** What is wrong with a request by the rules of the API, in words like its own. That it streams is checked for all. */
  violations(body: unknown): string[];
  /** The answer as the texts of its server-sent events, each with its blank line. `number` counts answers from 1. */
  events(answer: FakeMessage, number: number): string[];
  /** The JSON body of an HTTP error. */
  errorBody(error: { type: string; message: string }): unknown;
}

/** What the model says. Blocks come in the order thinking, text, `blocks`, calls. */
export interface FakeMessage {
  thinking?: { text: string; signature: string };
  text?: string;
  /** Blocks as they are on the wire: server-side tools and their results, cited text, or any order of any kinds. */
  blocks?: ReadonlyArray<Readonly<Record<string, unknown>>>;
  calls?: readonly FakeCall[];
  /** Default: "tool_use" for an answer with calls, else "end_turn". Any text, so that unknown reasons can be tried. */
  stopReason?: string | null;
  stopDetails?: Readonly<Record<string, unknown>>;
  usage?: Partial<Usage>;
  /** In place of the message's end: an error event, as when a server is overloaded in the middle of an answer. */
  streamError?: { type: string; message: string };
  /** Leaves out all events of these types, by the names that the format has for them. */
  omit?: string | readonly string[];
  /** The event stream as it is, in place of everything above. */
  raw?: string;
}

/** A call in an answer. */
export interface FakeCall {
  name: string;
  id?: string;
  input?: unknown;
  /** The input as raw text, which need not be valid JSON; used before `input`. */
  json?: string;
}

const PIECE_LENGTH = 8; // characters in one delta: small, so that words, escapes and numbers are torn apart

/** The text in the pieces that deltas bring. By code point, so that no character is torn: the bytes of the stream can be. */
export function pieces(text: string): string[] {
  return text.match(new RegExp(`.{1,${PIECE_LENGTH}}`, 'gsu')) ?? [];
}
