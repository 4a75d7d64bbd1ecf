/**
 * The conversation in Helve's own format, which is close to the Anthropic wire format. A provider's adapter
 * translates; blocks that it does not understand are kept as an `OpaqueBlock`, so that the history goes back exactly
 * as it came.
 */
export interface TextBlock {
  type: 'text';
  text: string;
}

/** An image, as base64. */
export interface ImageBlock {
  type: 'image';
  source: { type: 'base64'; media_type: string; data: string };
}

/** The model's thinking, as far as the provider returns it. */
export interface ThinkingBlock {
  type: 'thinking';
  thinking: string;
  /** Proves to the provider that the block is its own; must be sent back unchanged. */
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

/** Any other block of a provider: server-side tools and their results, redacted thinking. Never run, never changed. */
export interface OpaqueBlock {
  type: 'opaque';
  /** The provider whose format the value is in; other providers leave it out. */
  provider: string;
  value: Readonly<Record<string, unknown>>;
}

/** The content of a tool's answer. */
export type ContentBlock = TextBlock | ImageBlock;

/** The blocks of a message from the model. */
export type AssistantBlock = TextBlock | ThinkingBlock | ToolUseBlock | OpaqueBlock;

/** The blocks of a message to the model. */
export type UserBlock = TextBlock | ImageBlock | ToolResultBlock;

/** A message from the model. */
export interface AssistantMessage {
  role: 'assistant';
  content: readonly AssistantBlock[];
}

/** A message to the model: the person's text, and results. */
export interface UserMessage {
  role: 'user';
  content: readonly UserBlock[];
}

/** One message of a conversation. */
export type Message = AssistantMessage | UserMessage;
