/**
 * The conversation in Helve's own shape, which is close to the Anthropic wire format. A provider's adapter translates;
 * what it does not understand it keeps as an `OpaqueBlock`, so that history goes back exactly as it came.
 */
export interface TextBlock {
  type: 'text';
  text: string;
}

/** A picture, as base64. */
export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: string; data: string };
}

/** The model's thoughts, as far as it shows them. */
export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  /** Proves to the provider that the block is its own; must go back unchanged. */
  signature: string;
}

/** A request of the model to run one of our tools. */
export interface ToolUseBlock {
  type: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

/** The answer to one call. */
export interface ToolResultBlock {
  type: 'tool_result';
  tool_use_id: string;
  content: string | ContentBlock[];
  is_error?: boolean;
}

/** Anything else that a provider sends: server-side tools and their results, redacted thinking. Never run, never changed. */
export interface OpaqueBlock {
  type: 'opaque';
  /** Which provider's format the value is in; another provider leaves it out. */
  provider: string;
  value: Readonly<Record<string, unknown>>;
}

/** What a tool may answer with. */
export type ContentBlock = TextBlock | ImageBlock;

/** What a message of the model is made of. */
export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock | OpaqueBlock;

/** What a message to the model is made of. */
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

/** What the model said and called. */
export interface AssistantMessage {
  role: 'assistant';
  content: readonly AssistantBlock[];
}

/** What was said to the model: words of the person, and results. */
export interface UserMessage {
  role: 'user';
  content: readonly UserBlock[];
}

/** One message of a conversation. */
export type Message = AssistantMessage | UserMessage;
